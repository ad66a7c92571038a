"""Reading promises out of what the owner wrote, by rules alone: English and German."""
