"""Prices of symbols in the columns of yfinance."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Dict, Mapping, NamedTuple, Optional, Tuple

from ._values import Instant
from ._yf_rows import no_rows, rows_of
from ._yf_span import Span, span_of
from ._yf_symbols import Symbol, symbol_of

if TYPE_CHECKING:
    import pandas

_logger = logging.getLogger("market_data_gateway.yf")


class Form(NamedTuple):
    """How prices are shown."""

    actions: bool
    auto_adjust: bool
    keepna: bool
    rounding: bool


def frames_of(
    client: Any, names: Mapping[str, str], form: Form, as_of: Optional[Instant], *range_: Any
) -> Dict[str, "pandas.DataFrame"]:
    """The prices of each symbol by its name, in the columns of yfinance. Logs why a symbol has none."""
    found, reasons = named_rows(client, names, as_of, *range_)
    for name, reason in reasons.items():
        _logger.error("%s: %s", name, reason)
    frames = {symbol.name: _shaped(rows, form, span.rows) for symbol, (span, rows) in found.items()}
    for name in reasons:
        frames[name] = _shaped(no_rows("UTC"), form, None)
    return {name: frames[name] for name in names}


def named_rows(
    client: Any, names: Mapping[str, str], as_of: Optional[Instant], *range_: Any
) -> "Tuple[Dict[Symbol, Tuple[Span, pandas.DataFrame]], Dict[str, str]]":
    """The rows of each symbol with its range; and why symbols have none, by name."""
    spans: Dict[Symbol, Span] = {}
    reasons: Dict[str, str] = {}
    for name, text in names.items():
        try:
            symbol = symbol_of(client, text)
        except ValueError as error:
            reasons[name] = str(error)
        else:
            spans[symbol] = span_of(symbol.zone, *range_)
    rows: Dict[Symbol, Tuple[Span, Any]] = {}
    for symbol, found in rows_of(client, spans, as_of).items():
        if isinstance(found, str):
            reasons[symbol.name] = found
        else:
            rows[symbol] = (spans[symbol], found)
    return rows, reasons


def _shaped(rows: "pandas.DataFrame", form: Form, newest: Optional[int]) -> "pandas.DataFrame":
    """In the columns of yfinance."""
    import pandas

    frame = pandas.DataFrame(
        {
            "Open": rows.open * rows.split_factor,
            "High": rows.high * rows.split_factor,
            "Low": rows.low * rows.split_factor,
            "Close": rows.close * rows.split_factor,
            "Adj Close": rows.adjusted_close,
            "Volume": rows.volume / rows.split_factor,
            "Dividends": rows.dividend * rows.split_factor,
            "Stock Splits": rows.split,
        }
    )
    if form.auto_adjust:
        for name in ("Open", "High", "Low"):
            frame[name] = rows[name.lower()] * rows.factor
        frame["Close"] = frame.pop("Adj Close")
    if not form.actions:
        frame = frame.drop(columns=["Dividends", "Stock Splits"])
    if not form.keepna:
        frame = frame[~(frame.isna() | frame.eq(0)).all(axis=1)]
    frame = frame if newest is None else frame.tail(newest)
    frame = frame.round(2) if form.rounding else frame
    frame.attrs = dict(rows.attrs)
    return frame
