"""An import is merged less often: full text writes larger segments."""

from alembic import op

revision = "0014"
down_revision = "0013"

STATEMENTS = (
    "INSERT INTO passages_fts (passages_fts, rank) VALUES ('hashsize', 8388608)",
    "INSERT INTO passages_fts (passages_fts, rank) VALUES ('automerge', 8)",
    "INSERT INTO passages_fts (passages_fts, rank) VALUES ('usermerge', 8)",
    "INSERT INTO passages_fts (passages_fts, rank) VALUES ('crisismerge', 32)",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement)
