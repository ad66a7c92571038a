"""Commands in plain words: what the owner asks for that code can do at once, without a model."""
