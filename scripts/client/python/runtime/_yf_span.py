"""The range of days or hours that start, end and period of yfinance mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, get_args

from . import types

if TYPE_CHECKING:
    import pandas

#: The gateway takes no earlier instant.
_EARLIEST = "1970-01-01"

_UNITS = {"d": "days", "wk": "weeks", "mo": "months", "y": "years"}


class Span(NamedTuple):
    """From `start` to before `end`, which is now if None."""

    start: "pandas.Timestamp"
    end: Optional["pandas.Timestamp"]
    interval: str
    #: Only so many of the newest rows; all if None.
    rows: Optional[int]

    @property
    def first_day(self) -> str:
        return str(self.start.date())

    @property
    def last_day(self) -> Optional[str]:
        """The last day that begins before `end`."""
        import pandas

        return None if self.end is None else str((self.end - pandas.Timedelta(1, "ns")).date())


def span_of(zone: str, start: Any, end: Any, period: Optional[str], interval: str) -> Span:
    """Days without a time zone are those of the zone. Raises ValueError for a range that yfinance does not have."""
    import pandas

    intervals = get_args(types.Timeframe)
    if interval not in intervals:
        raise ValueError(f"interval must be {' or '.join(intervals)}; got {interval!r}")
    first, last = _moment(start, zone), _moment(end, zone)
    if first is not None and (period is None or last is not None):
        if period is not None:
            raise ValueError("give at most two of start, end and period")
        return Span(first, last, interval, None)
    if period == "max":
        return Span(first or pandas.Timestamp(_EARLIEST, tz=zone), last, interval, None)
    until = last or pandas.Timestamp.now(tz=zone).normalize()
    if period == "ytd":
        return Span(first or until.normalize().replace(month=1, day=1), last, interval, None)
    match = re.fullmatch(r"([1-9]\d*)(d|wk|mo|y)", period or "1mo")
    if match is None:
        raise ValueError(f"period must be max, ytd, or a number with d, wk, mo or y, such as 6mo; got {period!r}")
    count, unit = int(match[1]), match[2]
    length = pandas.DateOffset(**{_UNITS[unit]: count})
    if first is not None:
        return Span(first, first + length, interval, None)
    if unit == "d" and interval == "1d":
        # Days of a period are trading days: the range has as many, also beside weekends and holidays.
        return Span(until - pandas.DateOffset(days=2 * count + 10), last, interval, count)
    return Span(until - length, last, interval, None)


def _moment(value: Any, zone: str) -> Optional["pandas.Timestamp"]:
    import pandas

    if value is None:
        return None
    if isinstance(value, int):
        return pandas.Timestamp(value, unit="s", tz=zone)
    moment = pandas.Timestamp(value)
    return moment.tz_localize(zone) if moment.tzinfo is None else moment.tz_convert(zone)
