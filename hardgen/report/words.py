"""Numbers as people read them."""

import math

NOTHING = "–"


def number(value: float | None, digits: int = 3) -> str:
    """A number to some significant digits, without a tail of zeros; a dash for none, a sign for infinity."""
    text = measured(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def measured(value: float | None, digits: int = 3) -> str:
    """As `number`, but with all significant digits, zeros too, so that estimates line up with their intervals."""
    if value is None or math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    text = f"{value:.{max(0, digits - 1 - exponent)}f}" if -7 < exponent < 9 else f"{value:.{digits}g}"
    return text.replace("-", "−")


def percent(value: float | None, digits: int = 1) -> str:
    """A share in percent."""
    return NOTHING if value is None or math.isnan(value) else f"{100 * value:.{digits}f}%".replace("-", "−")


def points(value: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    return NOTHING if value is None or math.isnan(value) else f"{100 * value:+.1f}".replace("-", "−")


def span(low: str, high: str) -> str:
    """An interval."""
    return f"{low} to {high}"


def p_value(value: float) -> str:
    """A p value; small ones only as a bound."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def plural(count: int, noun: str) -> str:
    """`1 axis`, `2 axes`, `1,000 images`."""
    forms = {"axis": "axes", "class": "classes"}
    return f"{count:,} {noun if count == 1 else forms.get(noun, noun + 's')}"
