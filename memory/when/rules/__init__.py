"""The grammar's rules, a file for each kind of thing that is said."""
