"""Putting a row in and learning its id, and a stretch of time as conditions: what every topic shares."""

from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, Insert, Table, insert


@cache
def _insert(table: Table) -> Insert:
    return insert(table)


def within(column: Column[Any], since: datetime | None, until: datetime | None) -> list[ColumnElement[bool]]:
    """The conditions that a moment lies from `since` to before `until`; None is without end."""
    found: list[ColumnElement[bool]] = []
    if since is not None:
        found.append(column >= since)
    if until is not None:
        found.append(column < until)
    return found


def put(connection: Connection, table: Table, values: dict[str, Any]) -> int:
    """Insert one row; its id."""
    key = connection.execute(_insert(table), values).inserted_primary_key
    return int(key[0])  # type: ignore[index]  # a single-row insert always has its key
