"""The embedder that the evals ask besides words: what STILLBELL_EMBEDDER says, as in the product."""

import os

from memory.search.embedder import Embedder
from tools.embedding.choosing import embedder


def chosen() -> Embedder | None:
    """None when there is none, which the reports then say."""
    return embedder(os.environ.get("STILLBELL_EMBEDDER"))
