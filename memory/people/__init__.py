"""Who writes: which addresses are the owner's, which belong to one person, and how often that person writes."""
