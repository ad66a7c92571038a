"""The account book: what a command does with accounts, through the running daemon or, where none runs, under the lock.

tried ─► secret into its file ─► row (over the socket: no secret in it) ─► the daemon looks at its accounts again
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

import typer

from bot.commands.asking import answered
from memory.account import check_name
from memory.clock import SystemClock
from memory.errors import BadInput, NotFound, StillbellError

if TYPE_CHECKING:
    from bot.connecting import Plan, Tried
    from bot.lacking import Lack
    from bot.settings import Settings
    from bot.terminal.wire import AskHandler
    from memory.account import Account
    from tools.vault import Vault

Row = Mapping[str, Any]


class AccountBook:
    """The accounts of one data folder."""

    def __init__(self, settings: "Settings") -> None:
        self._settings = settings

    @property
    def vault(self) -> "Vault":
        """Where their secrets lie."""
        from tools.vault import Vault  # noqa: PLC0415

        return Vault(self._settings.vault)

    def rows(self) -> list[Row]:
        """Every account, as JSON; none where there is no database yet."""
        if not self._settings.database.exists():
            return []
        return list(answered(self._settings, "accounts.list", {}, alone=self._reading)["accounts"])

    def lacks(self, rows: Sequence[Row]) -> dict[str, "Lack"]:
        """By name, what is wrong with the secrets of these accounts."""
        from bot.lacking import lack_of  # noqa: PLC0415

        found = {row["name"]: lack_of(row["name"], row["kind"], row["settings"], self.vault) for row in rows}
        return {name: lack for name, lack in found.items() if lack is not None}

    def find(self, name: str) -> Row | None:
        """The account of this name."""
        return next((row for row in self.rows() if row["name"] == name), None)

    def get(self, name: str) -> Row:
        """The same. Raises NotFound."""
        if (row := self.find(name)) is None:
            raise NotFound(f"no account goes by the name {name}; these do: stillbell accounts list")
        return row

    def check_free(self, name: str) -> None:
        """Raise BadInput where it is no name for an account, or taken."""
        check_name(name)
        if any(row["name"].lower() == name.lower() for row in self.rows()):
            raise BadInput(
                f"there is an account {name} already. To give it a new password: stillbell accounts renew {name}; "
                f"to let it go: stillbell accounts remove {name}"
            )

    def try_(self, account: "Account", vault: "Vault") -> "Tried":
        """Sign in everywhere and look around. Raises StillbellError."""
        from bot.connecting import tried  # noqa: PLC0415

        return asyncio.run(tried(account, vault, SystemClock(), google_url=self._settings.google_url))

    def try_and_keep(self, account: "Account", secret: str) -> "Tried":
        """Try the account with this secret, "" for none; only where that works, the secret is kept."""
        from bot.opening import prepare_home  # noqa: PLC0415
        from tools.trial import Trial  # noqa: PLC0415

        trial = Trial(self._settings.vault)
        if secret:
            trial.put(account.name, secret)
        found = self.try_(account, trial)
        prepare_home(self._settings)
        trial.keep(self.vault)
        return found

    def add(self, plan: "Plan") -> None:
        """Make the row of an account whose secret is kept; where that fails, the secret goes, too."""
        row = {
            "name": plan.name,
            "kind": plan.kind,
            "identity": plan.identity,
            "aliases": list(plan.aliases),
            "settings": dict(plan.settings),
        }
        try:
            self._change("accounts.add", row)
        except StillbellError:
            self.vault.drop(plan.name)
            raise

    def renewed(self, name: str) -> None:
        """Its sign-in works again."""
        self._change("accounts.renewed", {"name": name})

    def remove(self, name: str) -> int:
        """Let go of it and its secrets; how many mails had come by it."""
        left = self._change("accounts.remove", {"name": name})
        self.vault.drop(name)
        return int(left["mails"])

    def follow(self, name: str) -> None:
        """Show how its first reading goes on, where a daemon does it."""
        try:
            asyncio.run(self._follow(name))
        except KeyboardInterrupt:
            typer.echo("The reading goes on without you watching.", err=True)

    async def _follow(self, name: str) -> None:
        from bot.terminal.account_report import BackfillBar  # noqa: PLC0415
        from bot.terminal.client import Client, NotRunning  # noqa: PLC0415

        told: Row = {}
        try:
            async with Client(self._settings.socket) as client:
                with BackfillBar() as bar:
                    async for step in client.ask("accounts.progress", {"name": name}):
                        told = step.data
                        bar.tell(told)
        except NotRunning:
            typer.echo("Reading begins when Stillbell runs: make run  (or: stillbell run)")
            return
        if told.get("trouble"):
            typer.echo(f"It is kept, and could not be read yet: {told['trouble']}", err=True)
            return
        held = ", ".join(f"{told[what]:,} {what}" for what in ("mails", "events") if told.get(what))
        typer.echo(f"Read: {held or 'nothing is there yet'}.")

    def _change(self, what: str, args: Row) -> Row:
        return answered(self._settings, what, args, alone=self._writing)

    def _reading(self) -> "AbstractAsyncContextManager[Mapping[str, AskHandler]]":
        from bot import alone  # noqa: PLC0415

        return alone.reading(self._settings)

    def _writing(self) -> "AbstractAsyncContextManager[Mapping[str, AskHandler]]":
        from bot import alone  # noqa: PLC0415

        return alone.writing(self._settings)
