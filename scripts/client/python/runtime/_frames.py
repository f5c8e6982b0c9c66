"""Tables for pandas, Polars and pyarrow, each used only where it is installed."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


class Column(NamedTuple):
    """A column of a list."""

    name: str
    #: boolean, integer, number, decimal, date, timestamp, text, json or list.
    type: str
    is_nullable: bool


class Provenance:
    """Collects where rows come from, over all pages. Its members can be written as JSON."""

    def __init__(self, request: str) -> None:
        self._members: Dict[str, Any] = {"request": request}

    def add_page(self, body: Any, headers: Mapping[str, str]) -> None:
        envelope: Dict[str, Any] = body if isinstance(body, dict) else {}
        meta: Dict[str, Any] = envelope.get("meta") or {}
        freshness: Dict[str, Any] = envelope.get("_meta") or {}
        source = envelope.get("source") or meta.get("source") or headers.get("x-data-source")
        is_dev = meta.get("is_dev_dataset")
        if is_dev is None and "x-is-dev-dataset" in headers:
            is_dev = headers["x-is-dev-dataset"] == "true"
        members = {
            "freshness_status": freshness.get("freshness_status", headers.get("x-data-freshness")),
            "data_freshness_seconds": freshness.get("data_freshness_seconds"),
            "last_updated_at": freshness.get("last_updated_at", headers.get("x-last-updated")),
            "next_refresh_at": freshness.get("next_refresh_at"),
            "data_quality": envelope.get("data_quality") or meta.get("data_quality") or headers.get("x-data-quality"),
            "methodology_version": meta.get("methodology_version"),
            "licensed_for_commercial_use": meta.get("licensed_for_commercial_use"),
            "release": freshness.get("release", headers.get("x-release")),
            "request_id": headers.get("x-request-id"),
        }
        for name, value in members.items():
            self._members.setdefault(name, value)
        self._members["is_dev_dataset"] = _either(self._members.get("is_dev_dataset"), is_dev)
        self._collect("sources", freshness.get("sources") or ([source] if source else []))
        # Two versions mean that the data changed while its pages were read.
        self._collect("data_versions", filter(None, [headers.get("x-data-version")]))

    def members(self) -> Dict[str, Any]:
        return dict(self._members)

    def _collect(self, name: str, values: Any) -> None:
        known = self._members.setdefault(name, [])
        known += [value for value in values if value not in known]


def _either(first: Any, second: Any) -> Any:
    """True if one is true; None if both are unknown."""
    return second if first is None else first or bool(second)


def pandas_frame(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[Column], attrs: Dict[str, Any]
) -> "pandas.DataFrame":
    import pandas

    series = {column.name: _series([row.get(column.name) for row in rows], column) for column in columns}
    frame = pandas.DataFrame(series, columns=[column.name for column in columns])
    frame.attrs.update(attrs)
    return frame


def _series(values: List[Any], column: Column) -> Any:
    import pandas

    if column.type in ("date", "timestamp"):
        return _times(values, column)
    if column.type == "number":
        return pandas.Series(values, dtype="float64")
    if column.type in ("integer", "decimal"):
        return pandas.Series(values, dtype="Int64" if column.is_nullable else "int64")
    if column.type == "boolean":
        return pandas.Series(values, dtype="boolean" if column.is_nullable else "bool")
    if column.type == "text":
        return pandas.Series(values, dtype="string")
    return pandas.Series(values, dtype="object")


def _times(values: List[Any], column: Column) -> Any:
    import numpy
    import pandas

    texts = [None if value is None else value.removesuffix("Z") for value in values]
    unit = "ms" if column.type == "timestamp" else "D"
    instants = numpy.array(texts, dtype=f"datetime64[{unit}]")
    try:
        # pandas 1 has nanoseconds only, and pandas 3 would choose another unit.
        series = pandas.Series(pandas.DatetimeIndex(instants).astype("datetime64[ns]"))
    except pandas.errors.OutOfBoundsDatetime:
        # Nanoseconds reach from 1677 to 2262.
        return pandas.Series(list(instants.astype(object)), dtype="object")
    return series.dt.tz_localize("UTC") if column.type == "timestamp" else series


def polars_frame(parts: Iterator[bytes]) -> "polars.DataFrame":
    import polars

    return polars.concat([polars.read_ipc_stream(io.BytesIO(part)) for part in parts])


def arrow_table(parts: Iterator[bytes]) -> "pyarrow.Table":
    import pyarrow

    return pyarrow.concat_tables([pyarrow.ipc.open_stream(part).read_all() for part in parts])
