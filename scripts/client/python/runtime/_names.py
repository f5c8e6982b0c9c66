"""Slugs and tickers of the assets that rows are of."""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

Name = Tuple[Optional[str], Optional[str]]


class AssetKey(NamedTuple):
    """What tells of which asset a row is."""

    #: A column, or a label of all rows.
    column: str
    #: id or slug; or the class of the assets whose tickers they are: stock or etf.
    kind: str


class AssetNames:
    """The catalogue of assets: slug and ticker of each by the others."""

    def __init__(self, assets: Iterable[Mapping[str, Any]]) -> None:
        self.assets = list(assets)
        self._known: Dict[Tuple[str, Any], List[Mapping[str, Any]]] = {}
        for asset in self.assets:
            keys = (("id", asset["asset_id"]), ("slug", asset["slug"]), (asset["asset_class"], asset["ticker"]))
            for key in keys:
                self._known.setdefault(key, []).append(asset)
            for name in {asset["slug"], asset["ticker"].lower()}:
                self._known.setdefault(("name", name), []).append(asset)

    def named(self, name: str) -> List[Mapping[str, Any]]:
        """The assets with this slug or ticker, in upper or lower case."""
        return self._known.get(("name", name.lower()), [])

    def of(self, kind: str, key: Any, mic: Optional[str]) -> Name:
        found = self._known.get((kind, key), [])
        if len(found) > 1:
            found = [asset for asset in found if asset["mic"] == mic]
        # A ticker at several exchanges names no asset by itself.
        if len(found) == 1:
            return found[0]["slug"], found[0]["ticker"]
        return (key, None) if kind == "slug" else (None, None if kind == "id" else key)


def named_rows(names: AssetNames, kind: str, keys: Iterable[Any], mics: Iterable[Any]) -> Dict[str, List[Any]]:
    """The columns `slug` and `ticker` of rows with these keys."""
    known: Dict[Any, Name] = {}
    slugs: List[Optional[str]] = []
    tickers: List[Optional[str]] = []
    for row in zip(keys, mics):
        if row not in known:
            known[row] = names.of(kind, *row)
        slug, ticker = known[row]
        slugs.append(slug)
        tickers.append(ticker)
    return {"slug": slugs, "ticker": tickers}


def place_of(added: str, columns: Sequence[str]) -> int:
    """Slug and ticker stand side by side; at the front if the gateway sends neither."""
    if added == "ticker" and "slug" in columns:
        return columns.index("slug") + 1
    return columns.index("ticker") if added == "slug" and "ticker" in columns else 0
