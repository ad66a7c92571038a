"""Runs the migrations on the connection that the product hands in, or on the developer's own database."""

from sqlalchemy import create_engine

from alembic import context
from memory.sql.schema import metadata


def run(connection):
    context.configure(connection=connection, target_metadata=metadata, transactional_ddl=True)
    # SQLite's DDL is transactional, but its driver opens no transaction for it: this one is opened by hand, and
    # alembic's own commit or rollback ends it.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    with context.begin_transaction():
        context.run_migrations()


handed_in = context.config.attributes.get("connection")
if handed_in is not None:
    run(handed_in)
else:
    with create_engine(context.config.get_main_option("sqlalchemy.url"), isolation_level="AUTOCOMMIT").connect() as own:
        run(own)
