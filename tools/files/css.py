"""As much of CSS as it takes to tell whether a text in a mail can be seen."""

import colorsys
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

Colour = tuple[int, int, int] | str
"""Red, green and blue from 0 to 255, or the word itself where its colour is not known to us."""

Style = Mapping[str, tuple[str, bool]]
"""Property to its value in lower case and whether it was marked important."""

TINY_PX = 2.0
"""Letters of two pixels or less are not read by anybody."""
FAR_PX = 200.0
"""This far to the left of or above its place, a text is off the page."""
FAR_RIGHT_PX = 2000.0
ALIKE = 16
"""Two colours whose channels differ by no more than this (of 255) cannot be told apart as text on ground."""

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))\s*(px|pt|pc|em|rem|ex|ch|vw|vh|mm|cm|in|%)?")
_UNIT_PX = {"px": 1, "pt": 1.33, "pc": 16, "em": 16, "rem": 16, "ex": 8, "ch": 8, "vw": 10, "vh": 10, "mm": 3.8}
_UNIT_PX |= {"cm": 38, "in": 96, "%": 10, "": 1}
_FONT_SIZE = re.compile(r"(?<![\w.#-])(0(?![\d.])|(?:\d+\.?\d*|\.\d+)(?:px|pt|em|rem|%))")
_FUNCTION = re.compile(r"(rgba?|hsla?)\(([^)]*)\)")
_HEX = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![0-9a-f])")
_NAMED: dict[str, Colour] = {
    "white": (255, 255, 255),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255),
    "floralwhite": (255, 250, 240),
    "mintcream": (245, 255, 250),
    "azure": (240, 255, 255),
    "whitesmoke": (245, 245, 245),
    "black": (0, 0, 0),
}
_WHITE: Colour = (255, 255, 255)
_UNKNOWN = "unknown"


def declarations(style: str) -> Style:
    """What a style attribute or the inside of a rule declares; of two of one name the later counts."""
    found: dict[str, tuple[str, bool]] = {}
    for declaration in without_tricks(style).split(";"):
        name, colon, value = declaration.partition(":")
        if not colon:
            continue
        name, value = name.strip().lower(), " ".join(value.lower().split())
        bare = re.sub(r"\s?!\s?important$", "", value)
        is_important = bare != value
        if is_important or not found.get(name, ("", False))[1]:
            found[name] = (bare, is_important)
    return found


def without_tricks(css: str) -> str:
    """`css` with its comments taken out and its escapes ("d\\69splay") resolved."""
    return _ESCAPE.sub(_unescaped, _COMMENT.sub("", css))


def _unescaped(escape: re.Match[str]) -> str:
    if escape[2]:
        return escape[2]
    point = int(escape[1], 16)
    return chr(point) if 0 < point < 0xD800 else ""


@dataclass(frozen=True, slots=True)
class Look:
    """How the text at one place of a page looks, with what it inherits from the places around it."""

    is_gone: bool = False  # with everything inside, whatever that says of itself
    is_invisible: bool = False
    is_tiny: bool = False
    colour: Colour = (0, 0, 0)
    ground: Colour = _WHITE

    @property
    def hides(self) -> bool:
        """Whether text that stands directly here cannot be seen."""
        return self.is_gone or self.is_invisible or self.is_tiny or _alike(self.colour, self.ground)

    def inside(self, style: Style) -> "Look":
        """The look of an element with `style` that stands here."""
        if not style:
            return self
        values = {name: value for name, (value, _) in style.items()}
        return replace(
            self,
            is_gone=self.is_gone or _is_gone(values),
            is_invisible=_is_invisible(values, self.is_invisible),
            is_tiny=_is_tiny(values, self.is_tiny),
            colour=_colour(values.get("-webkit-text-fill-color") or values.get("color", "")) or self.colour,
            ground=_ground(values) or self.ground,
        )


def _is_gone(values: Mapping[str, str]) -> bool:
    return (
        values.get("display") == "none"
        or values.get("content-visibility") == "hidden"
        or _is_clear(values)
        or _is_far(values)
        or _is_clipped(values)
    )


def _is_clear(values: Mapping[str, str]) -> bool:
    """Whether the element is see-through."""
    opacity = _LENGTH.match(values.get("opacity", ""))
    if opacity and float(opacity[1]) <= (10 if opacity[2] == "%" else 0.1):
        return True
    return re.search(r"opacity\s*[(=]\s*0*\.?0*\s*\)?$", values.get("filter", "")) is not None


def _is_far(values: Mapping[str, str]) -> bool:
    """Whether the element is moved off the page."""
    moved = [values.get("text-indent", "")]
    moved += [value for name, value in values.items() if name.startswith("margin")]
    if values.get("position") in ("absolute", "fixed", "relative"):
        moved += [values.get(side, "") for side in ("left", "right", "top", "bottom", "inset")]
    moved += re.findall(r"translate\w*\(([^)]*)\)", values.get("transform", ""))
    lengths = [length for value in moved for length in _lengths_px(value)]
    return any(length <= -FAR_PX or length >= FAR_RIGHT_PX for length in lengths)


def _is_clipped(values: Mapping[str, str]) -> bool:
    """Whether the element is made so small, or cut so far, that nothing of it is left."""
    if re.search(r"scale\w*\(\s*0*\.?0*\s*[,)]", values.get("transform", "")):
        return True
    if re.search(r"rect\(\s*[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?", values.get("clip", "")):
        return True
    if re.search(r"inset\(\s*(5\d|[6-9]\d|100)%|circle\(\s*0", values.get("clip-path", "")):
        return True
    if not re.search(r"hidden|clip", values.get("overflow", "") + values.get("overflow-x", "")):
        return False
    sizes = [_lengths_px(values.get(name, "")) for name in ("height", "width", "max-height", "max-width")]
    return any(size and size[0] <= 1 for size in sizes)


def _is_invisible(values: Mapping[str, str], inherited: bool) -> bool:
    visibility = values.get("visibility", "inherit")
    return inherited if visibility == "inherit" else visibility in ("hidden", "collapse")


def _is_tiny(values: Mapping[str, str], inherited: bool) -> bool:
    size = values.get("font-size", "")
    if not size and (short := _FONT_SIZE.search(values.get("font", ""))):
        size = short[1]
    length = _LENGTH.match(size)
    if not length:
        return inherited and size in ("", "inherit", "smaller", "larger")
    is_relative = length[2] in ("em", "%")
    is_nothing = float(length[1]) * (1 if length[2] != "%" else 0.01) <= 0.1 if is_relative else False
    if is_relative:
        return inherited or is_nothing
    return float(length[1]) * _UNIT_PX[length[2] or ""] <= TINY_PX


def _lengths_px(value: str) -> list[float]:
    return [float(number) * _UNIT_PX[unit] for number, unit in _LENGTH.findall(value)]


def _colour(value: str) -> Colour | None:
    """The colour that `value` begins with or is; "unknown" for a word we cannot place, None when it names none."""
    if value in ("", "inherit", "initial", "currentcolor", "unset"):
        return None
    if value == "transparent":
        return "transparent"
    if match := _HEX.search(value):
        return _from_hex(match[1])
    if match := _FUNCTION.search(value):
        return _from_function(match[1], match[2])
    return _NAMED.get(value, value)


def _from_hex(digits: str) -> Colour:
    if len(digits) <= 4:
        digits = "".join(digit * 2 for digit in digits)
    if digits[6:] and int(digits[6:], 16) <= ALIKE:
        return "transparent"
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def _from_function(name: str, inside: str) -> Colour:
    parts = [(float(number), unit) for number, unit in _LENGTH.findall(inside)]
    if len(parts) < 3:
        return _UNKNOWN
    if len(parts) > 3 and parts[3][0] <= (10 if parts[3][1] == "%" else 0.1):
        return "transparent"
    if name.startswith("hsl"):
        hue, saturation, light = (min(number, 1e6) for number, _ in parts[:3])
        red, green, blue = (
            round(each * 255) for each in colorsys.hls_to_rgb(hue / 360 % 1, light / 100, saturation / 100)
        )
    else:
        red, green, blue = (round(min(number, 255.0) * (2.55 if unit == "%" else 1)) for number, unit in parts[:3])
    return red, green, blue


def _ground(values: Mapping[str, str]) -> Colour | None:
    """The colour behind the text; unknown when a picture or a gradient lies there, None when it is left as it was."""
    value = values.get("background-color") or values.get("background", "")
    picture = values.get("background-image", "") + values.get("background", "")
    if "url(" in picture or "gradient(" in picture:
        return _UNKNOWN
    if not values.get("background-color") and not _HEX.search(value) and not _FUNCTION.search(value):
        value = next((word for word in value.split() if word in _NAMED), value if " " not in value else "")
    ground = _colour(value if value != "none" else "")
    return None if ground == "transparent" else ground


def _alike(colour: Colour, ground: Colour) -> bool:
    if isinstance(colour, str):
        return colour == "transparent" or (colour == ground and colour != _UNKNOWN)
    if isinstance(ground, str):
        return False
    return all(abs(one - other) <= ALIKE for one, other in zip(colour, ground, strict=True))
