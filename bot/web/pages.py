"""The pages: what a browser is shown, from templates that escape whatever is put into them."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from bot.terminal.drawing import harmless
from bot.terminal.wire import TEXT_MAX, Said
from bot.web.drawing import draw, plain
from bot.web.words import words
from memory.owner import Language

HERE = Path(__file__).parent

_TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_TEMPLATES.filters["harmless"] = harmless


def message(said: Said, language: Language) -> str:
    """One message as HTML."""
    body = Markup(plain(said.text) if said.role == "owner" else draw(said.text))  # noqa: S704  drawing escapes
    return _TEMPLATES.get_template("message.html").render(said=said, body=body, words=words(language))


def chat(shown: Sequence[Said], language: Language, *, more: bool) -> str:
    """The page with the newest messages; `more` says whether there are earlier ones."""
    drawn = [Markup(message(said, language)) for said in shown]  # noqa: S704  a template made it
    return _TEMPLATES.get_template("chat.html").render(
        messages=drawn, last_id=shown[-1].id if shown else 0, more=more, language=language,
        words=words(language), text_max=TEXT_MAX,
    )  # fmt: skip


def of(template: str, language: Language, **values: object) -> str:
    """A page from its template."""
    return _TEMPLATES.get_template(template).render(language=language, words=words(language), **values)


def wrong(language: Language, said: str, because: str) -> str:
    """The page in the place of one that can't be shown. said: the name of the sentence that tells what to do."""
    return of("wrong.html", language, said=words(language)[said], because=because)


def drawn(markdown: str) -> Markup:
    """Markdown as HTML that a template takes as it is."""
    return Markup(draw(markdown))  # noqa: S704  drawing escapes


def locked(language: Language, *, used: bool) -> str:
    """The page that says how to get in; `used` when a link was tried that no longer works."""
    return _TEMPLATES.get_template("locked.html").render(language=language, words=words(language), used=used)
