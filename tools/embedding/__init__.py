"""Embedding: local models that turn a text into a vector. The port is memory/search/embedder; none of them is needed.

Nothing here reaches out: weights come from an installed package or a path, or there is no embedder.
"""
