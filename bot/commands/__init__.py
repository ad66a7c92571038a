"""The commands of the shell that have words of their own. Nothing heavy is imported before it is used."""
