"""Tables for pandas, Polars and pyarrow, each used only where it is installed."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from . import _arrow


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

    def add_page(self, headers: Mapping[str, str], metadata: Mapping[str, str]) -> None:
        """The headers of a response, and the metadata of its schema where they were read."""
        is_licensed = metadata.get("licensed_for_commercial_use")
        members = {
            "freshness_status": headers.get("x-data-freshness"),
            "last_updated_at": headers.get("x-last-updated"),
            "next_refresh_at": metadata.get("next_refresh_at"),
            "data_quality": headers.get("x-data-quality"),
            "methodology_version": metadata.get("methodology_version"),
            "price_type": metadata.get("price_type"),
            "licensed_for_commercial_use": None if is_licensed is None else is_licensed == "true",
            "release": headers.get("x-release"),
            "request_id": headers.get("x-request-id"),
        }
        for name, value in members.items():
            self._members.setdefault(name, value)
        is_dev = headers["x-is-dev-dataset"] == "true" if "x-is-dev-dataset" in headers else None
        self._members["is_dev_dataset"] = _either(self._members.get("is_dev_dataset"), is_dev)
        self._collect("sources", [source for source in headers.get("x-data-source", "").split(", ") if source])
        # Two versions mean that the data changed while its pages were read.
        self._collect("data_versions", filter(None, [headers.get("x-data-version")]))

    def members(self) -> Dict[str, Any]:
        return dict(self._members)

    def _collect(self, name: str, values: Any) -> None:
        known = self._members.setdefault(name, [])
        known += [value for value in values if value not in known]


def joined_provenance(frames: Iterable["pandas.DataFrame"]) -> Dict[str, Any]:
    """Where the rows of all frames come from."""
    parts = [frame.attrs for frame in frames]
    return {
        "is_dev_dataset": any(part.get("is_dev_dataset") for part in parts),
        "sources": sorted({source for part in parts for source in part.get("sources", [])}),
        "freshness_status": sorted({str(part.get("freshness_status")) for part in parts}),
    }


def _either(first: Any, second: Any) -> Any:
    """True if one is true; None if both are unknown."""
    return second if first is None else first or bool(second)


def pandas_frame(
    tables: List["_arrow.Table"], columns: Sequence[Column], kept: Tuple[int, int]
) -> "pandas.DataFrame":
    """The rows `kept` of the tables."""
    import pandas

    from . import _arrow

    rows = sum(table.rows for table in tables)
    frame = pandas.DataFrame(index=pandas.RangeIndex(max(0, min(rows, kept[1]) - kept[0])))
    for column in columns:
        found = [table.columns.pop(column.name) for table in tables if column.name in table.columns]
        if len(found) == len(tables):
            frame[column.name] = _series(_arrow.joined(found), column, slice(*kept))
    return frame


class Library(NamedTuple):
    """What the three kinds of tables do each in its own way."""

    columns: Callable[[Any], List[str]]
    #: The cells of a column as Python objects.
    cells: Callable[[Any, str], List[Any]]
    #: The table with a column of texts at a position.
    insert: Callable[[Any, int, str, List[Optional[str]]], Any]


def _insert_pandas(frame: Any, at: int, name: str, texts: List[Optional[str]]) -> Any:
    import pandas

    frame.insert(at, name, pandas.Series(texts, dtype="string"))
    return frame


def _insert_polars(frame: Any, at: int, name: str, texts: List[Optional[str]]) -> Any:
    import polars

    return frame.insert_column(at, polars.Series(name, texts, dtype=polars.String))


def _insert_arrow(table: Any, at: int, name: str, texts: List[Optional[str]]) -> Any:
    import pyarrow

    return table.add_column(at, name, pyarrow.array(texts, pyarrow.string()))


PANDAS = Library(lambda frame: list(frame.columns), lambda frame, name: frame[name].tolist(), _insert_pandas)
POLARS = Library(lambda frame: frame.columns, lambda frame, name: frame[name].to_list(), _insert_polars)
ARROW = Library(lambda table: table.column_names, lambda table, name: table[name].to_pylist(), _insert_arrow)


def _series(cells: "_arrow.Cells", column: Column, kept: slice) -> Any:
    import numpy
    import pandas

    values = cells.values[kept]
    mask = None if cells.mask is None else cells.mask[kept]
    nulls = numpy.zeros(len(values), dtype=bool) if mask is None else mask
    if column.type in ("date", "timestamp"):
        return _times(values, mask)
    if column.type == "number":
        return pandas.Series(numpy.where(nulls, numpy.nan, values), dtype="float64")
    if column.type in ("integer", "decimal"):
        whole = values.astype("int64")
        return pandas.Series(pandas.arrays.IntegerArray(whole, nulls) if column.is_nullable else whole)
    if column.type == "boolean":
        flags = values.astype(bool)
        return pandas.Series(pandas.arrays.BooleanArray(flags, nulls) if column.is_nullable else flags)
    if column.type == "text":
        return pandas.Series(values, dtype="string")
    if column.type == "json":
        return pandas.Series([None if cell is None else json.loads(cell) for cell in values], dtype="object")
    return pandas.Series(list(values), dtype="object")


def _times(values: Any, mask: Optional[Any]) -> Any:
    """Instants and days alike are instants in UTC, a day its start, so that columns of both can be joined."""
    import numpy
    import pandas

    instants = values.astype("datetime64[ms]")
    if mask is not None:
        instants = numpy.where(mask, numpy.datetime64("NaT", "ms"), instants)
    try:
        # pandas 1 has nanoseconds only, and pandas 3 would choose another unit.
        series = pandas.Series(pandas.DatetimeIndex(instants).astype("datetime64[ns]"))
    except pandas.errors.OutOfBoundsDatetime:
        # Nanoseconds reach from 1677 to 2262.
        return pandas.Series(list(instants.astype(object)), dtype="object")
    return series.dt.tz_localize("UTC")


def polars_frame(parts: Iterable[bytes]) -> "polars.DataFrame":
    import polars

    return polars.concat([polars.read_ipc_stream(io.BytesIO(part)) for part in parts])


def arrow_table(parts: Iterable[bytes]) -> "pyarrow.Table":
    import pyarrow

    return pyarrow.concat_tables([pyarrow.ipc.open_stream(part).read_all() for part in parts])
