"""Prices: what a model call costs, and the most it can cost before it is made.

The table (prices.toml) says when and where its figures were read. A model that is not in it is refused, unless the
settings give its price; zero is a price.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from memory.errors import BadInput
from tools.model import Ask

TABLE = Path(__file__).with_name("prices.toml")

CACHE_WRITE_FACTOR = 1.25
"""What the provider asks for writing to its five-minute cache, as a factor of the input rate."""

REQUEST_TOKENS = 256
MESSAGE_TOKENS = 16
IMAGE_TOKENS = 5_000
TOOLS_TOKENS = 1_024
SCHEMA_TOKENS = 1_024
"""What the provider adds to a prompt that nobody sent: its own framing, and its instructions for tools and for
structured answers. The documentation puts the latter at some hundreds of tokens; these are about twice that."""

Usd = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What one call used, as the provider counts it: the four kinds add up and do not overlap."""

    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0

    @property
    def prompt(self) -> int:
        """The length of the prompt, by which the tier is chosen."""
        return self.input + self.cache_write + self.cache_read


class Rates(BaseModel):
    """Rates in USD per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input_usd: Usd
    output_usd: Usd
    cache_write_usd: Usd | None = None
    cache_read_usd: Usd | None = None

    def usd(self, tokens: Tokens) -> float:
        """What these tokens cost in USD."""
        write = self.input_usd * CACHE_WRITE_FACTOR if self.cache_write_usd is None else self.cache_write_usd
        read = self.input_usd if self.cache_read_usd is None else self.cache_read_usd
        per_million = (
            tokens.input * self.input_usd
            + tokens.output * self.output_usd
            + tokens.cache_write * write
            + tokens.cache_read * read
        )
        return per_million / 1_000_000


class LongPrompt(Rates):
    """The rates of a request whose prompt is longer than `above_tokens`; they hold for all its tokens."""

    above_tokens: Annotated[int, Field(gt=0)]


class Price(Rates):
    """What one model costs."""

    long_prompt: LongPrompt | None = None

    def rates_for(self, prompt_tokens: int) -> Rates:
        """The rates of a request with a prompt of this length."""
        if self.long_prompt is not None and prompt_tokens > self.long_prompt.above_tokens:
            return self.long_prompt
        return self


class PriceTable(BaseModel):
    """Prices by model id, with the day on which they were read and where."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    as_of: date
    source: str
    models: Mapping[str, Price]

    def price_of(self, *names: str, given: Mapping[str, Price]) -> Price:
        """The price of the model that goes by any of `names`; what is `given` wins over the table.

        Raises BadInput when there is none: a call whose cost nobody knows can't be held to a cap.
        """
        for known in (given, self.models):
            for name in names:
                if name in known:
                    return known[name]
        raise BadInput(
            f"no price is known for the model {names[0]!r}, so it can't be held to the day's cap; "
            "give its price per million tokens in the settings (0 is fine for a local model), or name another model"
        )


def load_prices() -> PriceTable:
    """The table that comes with Stillbell."""
    return PriceTable.model_validate(tomllib.loads(TABLE.read_text("utf-8")))


def cost_usd(price: Price, tokens: Tokens) -> float:
    """What a call cost that used these tokens."""
    return price.rates_for(tokens.prompt).usd(tokens)


def worst_usd(price: Price, *, input_tokens: int, max_tokens: int, cached: bool = False) -> float:
    """The most a call can cost with at most `input_tokens` in its prompt and `max_tokens` in its answer.

    `cached`: the prompt may be written to the provider's cache, which costs more than reading it in.
    """
    prompt = Tokens(cache_write=input_tokens) if cached else Tokens(input=input_tokens)
    rates = price.rates_for(input_tokens)
    return max(rates.usd(prompt), rates.usd(Tokens(input=input_tokens))) + rates.usd(Tokens(output=max_tokens))


def most_input_tokens(ask: Ask) -> int:
    """An upper bound of the tokens in a request's prompt: one for each byte of it, and what the provider adds.

    No tokenizer that works on bytes makes more tokens than bytes, whatever the text; English takes about a quarter of
    that. The bound is for reserving only: what is settled is what the provider counted.
    """
    sent = [ask.system, [asdict(said) for said in ask.messages], [asdict(tool) for tool in ask.tools], ask.schema]
    size_bytes = len(json.dumps(sent, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"))
    added = REQUEST_TOKENS + MESSAGE_TOKENS * len(ask.messages)
    seen = IMAGE_TOKENS * sum(len(said.images) for said in ask.messages)
    return size_bytes + added + seen + (TOOLS_TOKENS if ask.tools else 0) + (SCHEMA_TOKENS if ask.schema else 0)
