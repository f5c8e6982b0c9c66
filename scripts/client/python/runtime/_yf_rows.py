"""
Prices of symbols as traded. `factor` and `split_factor` are what prices of the day are multiplied by to adjust them for all
actions, and for splits alone. `dividend` and `split` are those of the day. The index has the start of each day or hour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Sequence, Union

from ._yf_span import Span
from ._yf_symbols import Symbol
from .api_errors import NotFoundError, ValidationError

if TYPE_CHECKING:
    import pandas

#: Columns, and the value of one that a series does not have.
_COLUMNS = {
    **dict.fromkeys(("open", "high", "low", "close", "volume", "adjusted_close"), float("nan")),
    **dict.fromkeys(("factor", "split_factor"), 1.0),
    **dict.fromkeys(("dividend", "split"), 0.0),
}

#: Slugs of one request.
_MAX_SLUGS = 100

#: No market closes for so long: the row before a range tells of the actions on its first day.
_DAYS_BEFORE = 10

#: The rows of a symbol, or why it has none.
Found = Union["pandas.DataFrame", str]


def no_rows(zone: str) -> "pandas.DataFrame":
    import pandas

    index = pandas.DatetimeIndex([], dtype="datetime64[ns]").tz_localize(zone)
    return pandas.DataFrame(columns=list(_COLUMNS), index=index, dtype="float64")


def rows_of(client: Any, spans: Mapping[Symbol, Span], as_of: Any) -> Dict[Symbol, Found]:
    """The rows of each symbol in its range. One request asks for the consensus prices of all crypto assets."""
    for symbol, span in spans.items():
        if span.interval != "1d" and not symbol.has_hours:
            raise ValueError(f"interval must be 1d for {symbol.name}; got {span.interval!r}")
    found: Dict[Symbol, Found] = {}
    coins = [symbol for symbol in spans if symbol.kind == "crypto"]
    for first in range(0, len(coins), _MAX_SLUGS):
        found.update(_coins(client, coins[first : first + _MAX_SLUGS], spans[coins[first]], as_of))
    for symbol, span in spans.items():
        if symbol not in found:
            found[symbol] = _rows_or_reason(client, symbol, span, as_of)
    return {symbol: found[symbol] for symbol in spans}


def _coins(client: Any, coins: Sequence[Symbol], span: Span, as_of: Any) -> Dict[Symbol, Found]:
    options = {"timeframe": span.interval, "from_": span.start, "to": span.end, "as_of": as_of}
    try:
        rows = client.candles(slugs=sorted({coin.slug for coin in coins}), **options).to_pandas()
    except NotFoundError as error:
        if len(coins) == 1:
            return {coins[0]: error.message}
        # One of them has no prices. The error does not say which.
        singly = [_coins(client, [coin], span, as_of) for coin in coins]
        return {coin: rows for found in singly for coin, rows in found.items()}
    rows = rows.rename(columns={"vwap_usd": "close", "volume_usd": "volume"})
    return {coin: _in_columns(rows[rows.slug == coin.slug], "ts", coin.zone) for coin in coins}


def _rows_or_reason(client: Any, symbol: Symbol, span: Span, as_of: Any) -> Found:
    loads = {"stock": _listing, "etf": _listing, "exchange": _at_exchange, "currencies": _currencies}
    try:
        return loads[symbol.kind](client, symbol, span, as_of)
    except NotFoundError as error:
        return error.message


def _currencies(client: Any, symbol: Symbol, span: Span, as_of: Any) -> Found:
    days = {"from_": span.first_day, "to": span.last_day, "as_of": as_of}
    try:
        rows = client.forex_cross(base=symbol.base, quote=[symbol.currency], **days).to_pandas()
    except ValidationError as error:
        if {detail["field"] for detail in error.details} <= {"base", "quote"}:
            return error.message
        raise
    return _in_columns(rows.rename(columns={"rate": "close"}), "date", symbol.zone)


def _at_exchange(client: Any, symbol: Symbol, span: Span, as_of: Any) -> Found:
    options = {"timeframe": span.interval, "from_": span.start, "to": span.end, "as_of": as_of}
    rows = client.exchange_candles(symbol.slug, symbol.exchange, **options).to_pandas()
    paid_in = sorted(set(rows.quote_currency.dropna()))
    if paid_in and symbol.currency not in paid_in:
        names = " or ".join(f"{symbol.ticker}-{currency}@{symbol.exchange}" for currency in paid_in)
        return f"{symbol.exchange} is not paid in {symbol.currency}: use {names}"
    figures = ["open", "high", "low", "close", "volume"]
    rows[figures] = rows[figures].where(rows.quote_currency.eq(symbol.currency).fillna(False).astype(bool))
    return _in_columns(rows, "ts", symbol.zone)


def _listing(client: Any, symbol: Symbol, span: Span, as_of: Any) -> Found:
    import pandas

    read = client.stock_prices if symbol.kind == "stock" else client.etf_prices
    before = span.start.date() - pandas.Timedelta(days=_DAYS_BEFORE)
    days = {"from_": before, "to": span.last_day, "as_of": as_of}
    rows = read(symbol.ticker, mic=symbol.mic, adjust="all", **days).to_pandas()
    frame = _in_columns(with_actions(rows), "date", symbol.zone)
    return frame[frame.index >= span.start]


def with_actions(rows: "pandas.DataFrame") -> "pandas.DataFrame":
    """
    Daily prices with the dividend and the split of each day, and with the factor of the splits after it. An action on a day
    without prices belongs to the next day with prices.
    """
    import numpy
    import pandas

    count = len(rows)
    split_factor, dividend, split = numpy.ones(count), numpy.zeros(count), numpy.zeros(count)
    # The first row names all actions after it.
    actions: List[Dict[str, Any]] = rows["actions"].iloc[0] if count else []
    for action in actions:
        at = rows["date"].searchsorted(pandas.Timestamp(action["ex_date"], tz="UTC"))
        is_in_range = at < count
        if action["action_type"] in ("split", "reverse_split"):
            split_factor[:at] *= 1.0 if action["factor"] is None else action["factor"]
            if is_in_range:
                split[at] = (split[at] or 1.0) * _number(action["ratio"])
        elif action["action_type"] == "dividend" and is_in_range:
            is_same = action["currency"] == rows["currency"].iloc[at]
            dividend[at] += _number(action["amount"] if is_same else None)
    shaped = rows.assign(split_factor=split_factor, dividend=dividend, split=split)
    shaped.attrs = dict(rows.attrs)
    return shaped


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _in_columns(rows: "pandas.DataFrame", time: str, zone: str) -> "pandas.DataFrame":
    import pandas

    index = pandas.DatetimeIndex(rows[time])
    # A day of the gateway is the start of the day in UTC.
    index = index if zone == "UTC" else index.tz_localize(None).tz_localize(zone)
    known = rows if "adjusted_close" in rows else rows.assign(adjusted_close=rows["close"])
    columns = {
        name: known[name].to_numpy(dtype="float64") if name in known else missing for name, missing in _COLUMNS.items()
    }
    frame = pandas.DataFrame(columns, index=index)
    frame.attrs = dict(rows.attrs)
    return frame
