"""The remaining quotas after a response."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Dict, List, Mapping, Optional, Tuple


@dataclass(frozen=True)
class QuotaWindow:
    """One quota of the account."""

    #: `hour`, `month` or `day`.
    name: str
    quota: int
    remaining: int
    #: Seconds until the window ends.
    reset_seconds: int


@dataclass(frozen=True)
class Limits:
    """The window with the fewest units left, and all windows."""

    limit: int
    remaining: int
    reset_at: datetime
    windows: Tuple[QuotaWindow, ...]


def limits_of(headers: Mapping[str, str]) -> Optional[Limits]:
    """None on open routes, whose responses lack these headers."""
    if "x-ratelimit-limit" not in headers:
        return None
    quotas = {name: values.get("q", 0) for name, values in _items_of(headers.get("ratelimit-policy", ""))}
    return Limits(
        limit=int(headers["x-ratelimit-limit"]),
        remaining=int(headers.get("x-ratelimit-remaining", "0")),
        reset_at=datetime.fromtimestamp(int(headers.get("x-ratelimit-reset", "0")), timezone.utc),
        windows=tuple(
            QuotaWindow(name, quotas.get(name, 0), values.get("r", 0), values.get("t", 0))
            for name, values in _items_of(headers.get("ratelimit", ""))
        ),
    )


def _items_of(header: str) -> List[Tuple[str, Dict[str, int]]]:
    """`"hour";r=13;t=1234, "month";r=9999;t=86400`"""
    items = []
    for item in filter(None, (part.strip() for part in header.split(","))):
        name, *pairs = (part.strip() for part in item.split(";"))
        values = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        items.append((name.strip('"'), {key: int(value) for key, value in values.items() if value.isdigit()}))
    return items
