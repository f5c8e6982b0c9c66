"""Symbols in the spelling of yfinance, and the series of the gateway that they name."""

from __future__ import annotations

import re
from typing import Any, Mapping, NamedTuple, Optional, get_args

from . import types
from ._prices import find_asset

#: Of the markets outside of the United States; the others are in New York.
_ZONES = {
    "XAMS": "Europe/Amsterdam",
    "XASX": "Australia/Sydney",
    "XETR": "Europe/Berlin",
    "XHKG": "Asia/Hong_Kong",
    "XLON": "Europe/London",
    "XPAR": "Europe/Paris",
    "XSTO": "Europe/Stockholm",
    "XSWX": "Europe/Zurich",
    "XTKS": "Asia/Tokyo",
}


class Symbol(NamedTuple):
    """What a symbol names."""

    #: In upper case, as it stands in the columns.
    name: str
    #: stock, etf, crypto (the consensus), exchange (crypto at one exchange) or currencies.
    kind: str
    #: The time zone of its days.
    zone: str = "UTC"
    slug: str = ""
    ticker: str = ""
    mic: Optional[str] = None
    exchange: str = ""
    #: Of two currencies, and of crypto at one exchange: the currency that prices are in.
    currency: str = ""
    #: Of two currencies: the one that is priced.
    base: str = ""

    @property
    def has_hours(self) -> bool:
        return self.kind in ("crypto", "exchange")


def symbol_of(client: Any, text: str) -> Symbol:
    """Raises ValueError for a symbol that names no series."""
    text = text.strip()
    name = text.upper()
    currencies = re.fullmatch(r"([A-Z]{3})?([A-Z]{3})=X", name)
    if currencies:
        return Symbol(name, "currencies", "Europe/London", base=currencies[1] or "USD", currency=currencies[2])
    pair, at, exchange = name.partition("@")
    coin, dash, currency = pair.rpartition("-")
    if at:
        return _at_exchange(client, name, coin, currency, exchange.lower())
    listed = find_asset(client, text, ("stock", "etf"))
    if listed:
        zone = _ZONES.get(listed["mic"], "America/New_York")
        return _of_asset(listed, Symbol(name, listed["asset_class"], zone, mic=listed["mic"]))
    crypto = find_asset(client, coin, ("crypto",)) if currency == "USD" else None
    if crypto:
        return _of_asset(crypto, Symbol(name, "crypto"))
    raise ValueError("no stock, ETF or crypto asset has this symbol")


def _at_exchange(client: Any, name: str, coin: str, currency: str, exchange: str) -> Symbol:
    exchanges = get_args(types.Exchange)
    if exchange not in exchanges:
        raise ValueError(f"the exchange must be one of {', '.join(exchanges)}")
    asset = find_asset(client, coin, ("crypto",))
    if asset is None:
        raise ValueError(f"no crypto asset has the ticker {coin!r}; an example is BTC-USDT@binance")
    return _of_asset(asset, Symbol(name, "exchange", exchange=exchange, currency=currency))


def _of_asset(asset: Mapping[str, Any], symbol: Symbol) -> Symbol:
    return symbol._replace(slug=asset["slug"], ticker=asset["ticker"])
