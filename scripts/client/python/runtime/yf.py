"""
The functions of yfinance that load prices, with the data of a gateway. Parameters, columns and indexes are those of yfinance.

    from market_data_gateway import yf

    yf.download(["AAPL", "BTC-USD"], start="2026-01-01")

Symbols are those of Yahoo Finance: `AAPL` (a stock or an ETF), `BTC-USD` (consensus prices of a crypto asset: `Close` and
`Volume` in USD) and `EURUSD=X` (reference rates of the European Central Bank: `Close`). `BTC-USDT@binance` is a crypto asset at
one exchange, with the volume in units of the asset. A figure that the gateway does not have is NaN. yfinance has neither `client`
nor `as_of`.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

from ._frames import joined_provenance
from ._values import Instant
from ._yf_frames import Form, frames_of, named_rows
from .client import Client

if TYPE_CHECKING:
    import os

    import pandas

__all__ = ["Ticker", "download", "to_zipline_csvdir"]


@lru_cache(maxsize=None)
def _default_client() -> Client:
    return Client()


def download(
    tickers: Union[str, Sequence[str]],
    start: Any = None,
    end: Any = None,
    actions: bool = False,
    threads: Any = True,
    ignore_tz: Optional[bool] = None,
    group_by: str = "column",
    auto_adjust: bool = True,
    back_adjust: bool = False,
    repair: bool = False,
    keepna: bool = False,
    progress: bool = True,
    period: Optional[str] = None,
    interval: str = "1d",
    prepost: bool = False,
    rounding: bool = False,
    timeout: Any = None,
    session: Any = None,
    multi_level_index: bool = True,
    *,
    client: Optional[Client] = None,
    as_of: Optional[Instant] = None,
) -> "pandas.DataFrame":
    """
    Prices of several symbols as one DataFrame with the column levels Price and Ticker. A symbol without prices has NaN, and
    the log says why. What the gateway refuses is raised.

    tickers: Symbols, as a list or separated by spaces or commas.
    start: First day, inclusive. Default: a month before `end`.
    end: End, exclusive. Default: now.
    actions: Whether to add dividends and splits.
    ignore_tz: Whether the index has no time zone. Default: True for days.
    group_by: `column` or `ticker`: the first column level.
    auto_adjust: Whether prices are adjusted for splits, spin-offs and dividends. Otherwise prices are adjusted for splits, and
        `Adj Close` for all.
    keepna: Whether days without figures stay.
    period: max, ytd, or a number with d, wk, mo or y, instead of `start` or `end`. Default: 1mo.
    interval: 1d; 1h for crypto assets.
    rounding: Whether figures are rounded to two digits.
    multi_level_index: False gives one symbol plain columns.
    client: Default: one with the settings of the environment.
    as_of: Prices as they were known at this instant.
    threads, progress, timeout, session: Without effect; the client has the settings of requests.
    back_adjust, repair, prepost: Only False.
    """
    import pandas

    _assert_false(back_adjust=back_adjust, repair=repair, prepost=prepost)
    if group_by not in ("column", "ticker"):
        raise ValueError(f"group_by must be column or ticker; got {group_by!r}")
    form = Form(actions, auto_adjust, keepna, rounding)
    frames = frames_of(client or _default_client(), _listed(tickers), form, as_of, start, end, period, interval)
    is_naive = interval == "1d" if ignore_tz is None else ignore_tz
    zones = Counter(str(frame.index.tz) for frame in frames.values())
    for frame in frames.values():
        frame.index = frame.index.tz_localize(None) if is_naive else frame.index.tz_convert(zones.most_common(1)[0][0])
    table = pandas.concat(frames.values(), axis=1, keys=frames.keys(), names=["Ticker", "Price"], sort=True)
    if group_by == "column":
        table = table.swaplevel(0, 1, axis=1).sort_index(axis=1)
    if not multi_level_index and len(frames) == 1:
        table = table.droplevel("Ticker", axis=1).rename_axis(None, axis=1)
    table.index.name = _index_name(interval)
    table.attrs = joined_provenance(frames.values())
    return table


class Ticker:
    """One symbol."""

    def __init__(self, ticker: str, session: Any = None, *, client: Optional[Client] = None) -> None:
        """`session` is without effect. `client`: default: one with the settings of the environment."""
        self.ticker = ticker.strip().upper()
        self._text = ticker
        self._client = client

    def __repr__(self) -> str:
        return f"Ticker({self.ticker!r})"

    def history(
        self,
        period: Optional[str] = None,
        interval: str = "1d",
        start: Any = None,
        end: Any = None,
        prepost: bool = False,
        actions: bool = True,
        auto_adjust: bool = True,
        back_adjust: bool = False,
        repair: bool = False,
        keepna: bool = False,
        rounding: bool = False,
        timeout: Any = None,
        *,
        as_of: Optional[Instant] = None,
    ) -> "pandas.DataFrame":
        """
        The prices of the symbol, with the parameters of `download`. The index has the time zone of the market. Without prices
        the frame is empty, and the log says why.
        """
        _assert_false(back_adjust=back_adjust, repair=repair, prepost=prepost)
        form = Form(actions, auto_adjust, keepna, rounding)
        client = self._client or _default_client()
        frames = frames_of(client, {self.ticker: self._text}, form, as_of, start, end, period, interval)
        frame = frames[self.ticker]
        frame.index.name = _index_name(interval)
        frame.attrs = joined_provenance([frame])
        return frame


def to_zipline_csvdir(
    folder: "Union[str, os.PathLike[str]]",
    tickers: Union[str, Sequence[str]],
    start: Any = None,
    end: Any = None,
    *,
    client: Optional[Client] = None,
    as_of: Optional[Instant] = None,
) -> List[Path]:
    """
    Writes daily/TICKER.csv for each symbol, as the bundle csvdir of zipline reads it: prices as traded, dividends and splits.
    Returns the files. Raises ValueError, and writes nothing, if a symbol has no prices or a day lacks a figure.
    """
    rows, reasons = named_rows(client or _default_client(), _listed(tickers), as_of, start, end, None, "1d")
    tables = {symbol.name: _zipline_table(found) for symbol, (_, found) in rows.items()}
    for name, table in tables.items():
        incomplete = table.isna().any(axis=1)
        if incomplete.any():
            missing = ", ".join(table.columns[table.isna().any()])
            reasons[name] = f"{incomplete.sum()} of {len(table)} days have no {missing}"
    if reasons:
        raise ValueError("; ".join(f"{name}: {reason}" for name, reason in reasons.items()))
    directory = Path(folder) / "daily"
    directory.mkdir(parents=True, exist_ok=True)
    # For zipline the name of a symbol ends at its first point.
    files = {directory / f"{name.replace('.', '-')}.csv": table for name, table in tables.items()}
    for file, table in files.items():
        table.to_csv(file, index_label="date")
    return list(files)


def _zipline_table(rows: "pandas.DataFrame") -> "pandas.DataFrame":
    table = rows[["open", "high", "low", "close", "volume", "dividend"]].assign(split=rows.split.replace(0.0, 1.0))
    table.index = table.index.strftime("%Y-%m-%d")
    return table


def _listed(tickers: Union[str, Sequence[str]]) -> Dict[str, str]:
    """Symbols as given, by their names in columns."""
    texts = tickers.replace(",", " ").split() if isinstance(tickers, str) else tickers
    return {text.strip().upper(): text for text in texts}


def _index_name(interval: str) -> str:
    return "Date" if interval == "1d" else "Datetime"


def _assert_false(**options: bool) -> None:
    for name, value in options.items():
        if value:
            raise ValueError(f"{name} must be False: the gateway has no such prices")
