"""Facts of a person: how they are read in signatures, birthdays and the owner's words, and what a model's proposal must stand up to."""
