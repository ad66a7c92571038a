"""Times in words, English and German: found in a text, understood against a clock, and kept for later."""
