"""Daily prices of assets of any class in one DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Sequence

if TYPE_CHECKING:
    import pandas

_COLUMNS = ["slug", "ticker", "date", "price", "currency", "price_source"]


def prices_frame(
    client: Any, names: Sequence[str], range_: Mapping[str, Any], adjust: str, wide: bool
) -> "pandas.DataFrame":
    import pandas

    if isinstance(names, str):
        raise ValueError("give a list of slugs or tickers")
    assets = _assets_of(client, names)
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
    frame.attrs = {
        "is_dev_dataset": any(part.attrs.get("is_dev_dataset") for part in parts),
        "sources": sorted({source for part in parts for source in part.attrs.get("sources", [])}),
        "freshness_status": sorted({str(part.attrs.get("freshness_status")) for part in parts}),
    }
    return frame.pivot(index="date", columns="slug", values="price") if wide else frame


def _assets_of(client: Any, names: Sequence[str]) -> List[Mapping[str, Any]]:
    known: Dict[str, List[Mapping[str, Any]]] = {}
    for asset in client._asset_names().assets:
        for name in {asset["slug"], asset["ticker"].lower()}:
            known.setdefault(name, []).append(asset)
    return [_one(name, known.get(name.lower(), [])) for name in names]


def _one(name: str, found: List[Mapping[str, Any]]) -> Mapping[str, Any]:
    of_slug = [asset for asset in found if asset["slug"] == name]
    of_name = of_slug or [asset for asset in found if asset["is_active"]] or found
    if len(of_name) == 1:
        return of_name[0]
    if not found:
        raise ValueError(f"no asset has the slug or ticker {name!r}")
    slugs = ", ".join(asset["slug"] for asset in of_name)
    raise ValueError(f"several assets have the ticker {name!r}: name one by its slug: {slugs}")


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
