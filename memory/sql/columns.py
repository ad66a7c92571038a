"""What every table shares: the metadata, and the columns that name a row and its owner."""

from sqlalchemy import Column, ForeignKey, Integer, MetaData, text

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def owner_column() -> Column[int]:
    return Column("owner_id", Integer, ForeignKey("owners.id"), nullable=False, server_default=text("1"))


def id_column() -> Column[int]:
    return Column("id", Integer, primary_key=True)
