"""The tables: what a unit of work may use, a topic a file. The ledger holds them all (memory/ledger)."""
