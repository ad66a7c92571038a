"""What Stillbell knows and how it weighs it: the words, the pure judgements, and the ledger."""
