"""Daily prices of assets of any class in one DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Mapping, Optional, Sequence

from ._frames import joined_provenance

if TYPE_CHECKING:
    import pandas

_COLUMNS = ["slug", "ticker", "date", "price", "currency", "price_source"]


def prices_frame(
    client: Any, names: Sequence[str], range_: Mapping[str, Any], adjust: str, wide: bool
) -> "pandas.DataFrame":
    import pandas

    if isinstance(names, str):
        raise ValueError("give a list of slugs or tickers")
    assets = [_asset(client, name) for name in names]
    by_slug = {asset["slug"]: asset for asset in assets}
    parts: List[Any] = []
    coins = [slug for slug, asset in by_slug.items() if asset["asset_class"] == "crypto"]
    if coins:
        parts.append(_of_coins(client.candles(slugs=coins, timeframe="1d", **range_).to_pandas()))
    for asset in by_slug.values():
        if asset["asset_class"] in ("stock", "etf"):
            parts.append(_of_listing(client, asset, range_, adjust))
        elif asset["asset_class"] != "crypto":
            raise ValueError(f"{asset['slug']} is a {asset['asset_class']}, which has no daily prices")
    frame = pandas.concat(parts, ignore_index=True) if parts else pandas.DataFrame(columns=_COLUMNS)
    frame = frame.dropna(subset=["price"]).sort_values(["slug", "date"], ignore_index=True)
    frame.attrs = joined_provenance(parts)
    return frame.pivot(index="date", columns="slug", values="price") if wide else frame


def _asset(client: Any, name: str) -> Mapping[str, Any]:
    asset = find_asset(client, name)
    if asset is None:
        raise ValueError(f"no asset has the slug or ticker {name!r}")
    return asset


def find_asset(client: Any, name: str, classes: Optional[Sequence[str]] = None) -> Optional[Mapping[str, Any]]:
    """
    The asset with this slug or ticker, of one of the classes if they are given. A slug and an active asset come first. Raises
    ValueError for a ticker of several assets.
    """
    found = [asset for asset in client._asset_names().named(name) if classes is None or asset["asset_class"] in classes]
    of_slug = [asset for asset in found if asset["slug"] == name]
    of_name = of_slug or [asset for asset in found if asset["is_active"]] or found
    if len(of_name) > 1:
        slugs = ", ".join(asset["slug"] for asset in of_name)
        raise ValueError(f"several assets have the ticker {name!r}: name one by its slug: {slugs}")
    return of_name[0] if of_name else None


def _of_coins(candles: Any) -> Any:
    frame = candles.rename(columns={"ts": "date", "vwap_usd": "price"})
    frame["currency"] = "USD"
    frame["price_source"] = "consensus_vwap"
    return _shaped(frame, candles)


def _of_listing(client: Any, asset: Mapping[str, Any], range_: Mapping[str, Any], adjust: str) -> Any:
    read = client.stock_prices if asset["asset_class"] == "stock" else client.etf_prices
    rows = read(asset["ticker"], mic=asset["mic"], adjust=adjust, **range_).to_pandas()
    frame = rows.rename(columns={"close" if adjust == "none" else "adjusted_close": "price"})
    frame["slug"] = asset["slug"]
    frame["price_source"] = "close"
    return _shaped(frame, rows)


def _shaped(frame: Any, source: Any) -> Any:
    texts = {name: "string" for name in ("slug", "ticker", "currency", "price_source")}
    shaped = frame[_COLUMNS].astype(texts)
    shaped.attrs = dict(source.attrs)
    return shaped
