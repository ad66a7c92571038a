"""The ledger on SQLite: the only place that speaks SQL."""
