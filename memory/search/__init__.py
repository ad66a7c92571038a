"""Search: how a question becomes a query, and what a hit is."""
