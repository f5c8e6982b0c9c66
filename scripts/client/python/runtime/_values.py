"""Arguments as the gateway reads them."""

from __future__ import annotations

from datetime import date, datetime, time, timezone
from typing import TYPE_CHECKING, Any, Dict, Iterable, Mapping, Optional, Union
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    import numpy

#: A day or an instant: a text (`2026-11-01`, `2026-11-01T12:00:00Z`), a date, a datetime or Timestamp of pandas with a time
#: zone or at midnight, or a datetime64 of numpy, which is in UTC. Where a day is needed, an instant means its day in UTC;
#: where an instant is needed, a day means its start in UTC.
Day = Union[str, date, "numpy.datetime64"]
Instant = Day


def path_value(name: str, value: object) -> str:
    """A value in a path. An empty one would lead to another route."""
    text = text_of(value)
    if text in ("", ".", ".."):
        raise ValueError(f"{name} must not be {text!r}")
    return quote(text, safe="")


def query_of(values: Mapping[str, Any]) -> str:
    """The query string, or ''. None is omitted; a list is one value with commas."""
    query = urlencode([(name, text_of(value)) for name, value in values.items() if value is not None])
    return f"?{query}" if query else ""


def text_of(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(text_of(element) for element in value)
    return str(value)


def instant(value: Optional[Instant]) -> Optional[str]:
    """The argument of an instant: a day is its start in UTC."""
    value = _known(value)
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    text = value.isoformat() if isinstance(value, date) else value
    return f"{text}T00:00:00Z" if text is not None and len(text) == 10 else text


def day(value: Optional[Day]) -> Optional[str]:
    """The argument of a day: of an instant, its day in UTC."""
    if isinstance(value, str) and "T" in value:
        value = datetime.fromisoformat(value.replace("Z", "+00:00"))
    value = _known(value)
    if isinstance(value, datetime):
        value = value.astimezone(timezone.utc).date()
    return value.isoformat() if isinstance(value, date) else value


def variables_of(values: Mapping[str, Any]) -> Dict[str, Any]:
    """The variables of an operation. None is omitted."""
    return {name: _json_of(value) for name, value in values.items() if value is not None}


def _known(value: Any) -> Any:
    """A text, a date, or a datetime with a time zone."""
    if type(value).__module__ == "numpy":
        text = str(value)
        if text == "NaT":
            raise ValueError("give a day or an instant instead of NaT")
        moment = datetime.fromisoformat(f"{text[:10]}T00:00:00" if len(text) <= 10 else text[:23])
        return moment.replace(tzinfo=timezone.utc)
    if not isinstance(value, datetime) or value.tzinfo is not None:
        return value
    # pandas writes a day as a Timestamp at midnight without a time zone.
    if value.time() == time():
        return value.date()
    raise ValueError(f"give {value} a time zone, such as tzinfo=timezone.utc")


def _json_of(value: Any) -> Any:
    if isinstance(value, datetime) or type(value).__module__ == "numpy":
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    return list(value) if isinstance(value, (tuple, set, frozenset)) else value
