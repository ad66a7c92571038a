"""Files of the owner's own made into values: mail that was exported, saved or archived, read without trusting a byte of it."""
