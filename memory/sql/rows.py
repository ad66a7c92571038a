"""Putting a row in and learning its id: the one statement that every topic shares."""

from typing import Any

from sqlalchemy import Connection, insert


def put(connection: Connection, table: Any, values: dict[str, Any]) -> int:
    """Insert one row; its id."""
    key = connection.execute(insert(table), values).inserted_primary_key
    return int(key[0])  # type: ignore[index]  # a single-row insert always has its key
