"""Putting a row in and learning its id: the one statement that every topic shares."""

from functools import cache
from typing import Any

from sqlalchemy import Connection, Insert, Table, insert


@cache
def _insert(table: Table) -> Insert:
    return insert(table)


def put(connection: Connection, table: Table, values: dict[str, Any]) -> int:
    """Insert one row; its id."""
    key = connection.execute(_insert(table), values).inserted_primary_key
    return int(key[0])  # type: ignore[index]  # a single-row insert always has its key
