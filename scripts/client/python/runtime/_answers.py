"""The answers of a gateway: one response, the rows of a list, the result of an operation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import repeat
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generic,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Tuple,
    TypeVar,
    cast,
)

from . import _frames, _names
from ._limits import Limits, limits_of
from ._transport import Call, Received, Transport
from ._values import query_of
from .errors import ApiError, BoundExceeded, api_error_of, graphql_error_of

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Body = TypeVar("Body")
Row = TypeVar("Row")
Result = TypeVar("Result")

Part = TypeVar("Part")

_JSON = "application/json"
_ARROW = "application/vnd.apache.arrow.stream"


@dataclass(frozen=True)
class Answer(Generic[Body]):
    """One response of a route."""

    #: The JSON body as dictionaries and lists; None without a body.
    body: Body
    status: int
    #: The remaining quotas; None on open routes.
    limits: Optional[Limits]
    #: Identifies the request in the gateway's log.
    request_id: Optional[str]
    #: The names are in lower case.
    headers: Mapping[str, str] = field(repr=False)


def answer_of(received: Received) -> Answer[Any]:
    return _answer(received, received.json())


def _answer(received: Received, body: Any) -> Answer[Any]:
    headers = received.headers
    return Answer(body, received.status, limits_of(headers), headers.get("x-request-id"), headers)


class Shape(NamedTuple):
    """How a route lists its rows."""

    #: Path from the body to the rows.
    members: Tuple[str, ...]
    columns: Tuple[_frames.Column, ...]
    #: Rows of the longest page; None for a route without pages.
    page_rows: Optional[int] = None
    #: Whether the pages go back in time, although the rows of each are in time order.
    is_newest_page_first: bool = False
    #: Of which asset a row is; None for rows of no asset, or with slug and ticker.
    asset: Optional[_names.AssetKey] = None


class Rows(Generic[Body, Row]):
    """
    The rows of a list, series or feed. Nothing is requested before you read it: by a loop over the rows, by `first`,
    `pages`, `to_pandas`, `to_polars` or `to_arrow`. Each reading requests the data again. `limit` is the number of rows
    over all pages; without it, all are read. The rows of a series are in time order.
    """

    def __init__(
        self,
        transport: Transport,
        path: str,
        query: Mapping[str, Any],
        shape: Shape,
        labels: Mapping[str, str],
        names: Callable[[], _names.AssetNames] = lambda: _names.AssetNames(()),
    ) -> None:
        self._transport = transport
        self._names = names
        self._path = path
        self._shape = shape
        #: What the path says of each row.
        self._labels = labels
        self._mic: Optional[str] = query.get("mic")
        self._limit: Optional[int] = query.get("limit")
        self._page_rows = _page_rows(query, shape)
        self._query = query_of({**query, "limit": self._page_rows})
        #: Freshness, sources and release of the rows that were read last; `to_pandas` has them in `attrs`.
        self.provenance: Dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"Rows({self._path}{self._query})"

    def __iter__(self) -> Iterator[Row]:
        """The rows of all pages. Each page is requested when its rows are needed."""
        for page in self.pages():
            yield from cast(List[Row], self._rows_of(page.body))

    def first(self) -> Answer[Body]:
        """The first page, which has the newest rows where the pages go back in time."""
        return answer_of(next(self._received(_JSON, 1_000)))

    def pages(self, max_pages: int = 1_000) -> Iterator[Answer[Body]]:
        """
        The pages from the requested one to the last, in time order: where the gateway begins with the newest page, all are
        requested before the first is returned. More than `max_pages` raise `BoundExceeded`, so that a list never ends early
        unnoticed.
        """
        later: List[Answer[Body]] = []
        count = 0
        for received in self._received(_JSON, max_pages):
            page: Answer[Body] = answer_of(received)
            rows = self._rows_of(page.body)
            count += len(rows)
            excess = 0 if self._limit is None else max(0, count - self._limit)
            if self._shape.is_newest_page_first:
                del rows[:excess]
                later.append(page)
            else:
                del rows[len(rows) - excess :]
                yield page
        yield from reversed(later)

    def to_pandas(self, max_pages: int = 1_000) -> "pandas.DataFrame":
        """
        The rows of all pages as a DataFrame, read from Arrow. Numbers are float64, the same double as in JSON; instants and
        days are datetime64[ns, UTC], a day its start; whole numbers and booleans that may be null are Int64 and boolean;
        texts are string; lists and objects are Python objects. `attrs` has what `provenance` has. Rows of assets have the
        columns `slug` and `ticker`.
        """
        from . import _arrow

        tables: List[_arrow.Table] = []
        provenance = _frames.Provenance(self._path + self._query)
        for received in self._received(_ARROW, max_pages):
            table = _arrow.read_stream(received.content)
            provenance.add_page(received.headers, table.metadata)
            tables.append(table)
        self.provenance = provenance.members()
        kept = self._kept(sum(table.rows for table in tables))
        frame = _frames.pandas_frame(self._in_time(tables), self._shape.columns, kept)
        self._name(frame, _frames.PANDAS)
        frame.attrs.update(self.provenance)
        return frame

    def to_polars(self, max_pages: int = 1_000) -> "polars.DataFrame":
        """
        The rows of all pages as a DataFrame of Polars, read from Arrow. A DataFrame of Polars has no metadata: see
        `provenance`.
        """
        frame = _frames.polars_frame(self._arrow_parts(max_pages))
        first, last = self._kept(len(frame))
        return self._name(frame.slice(first, last - first), _frames.POLARS)

    def to_arrow(self, max_pages: int = 1_000) -> "pyarrow.Table":
        """
        The rows of all pages as a table of pyarrow, with the types of the gateway. The metadata of the schema has
        source, freshness, data version and release of the first page; `provenance` has those of all pages.
        """
        table = _frames.arrow_table(self._arrow_parts(max_pages))
        first, last = self._kept(table.num_rows)
        return self._name(table.slice(first, last - first), _frames.ARROW)

    def _name(self, frame: Any, library: _frames.Library) -> Any:
        """The frame with slug and ticker of its assets, which are looked up once for a client."""
        asset = self._shape.asset
        if asset is None:
            return frame
        columns = library.columns(frame)
        keys = library.cells(frame, asset.column) if asset.column in columns else None
        if keys is None:
            keys = [self._labels[asset.column]] * len(frame)
        try:
            names = self._names()
        except ApiError as error:
            # The rows are there although the credential may not read the catalogue.
            names = _names.AssetNames(())
            self.provenance["asset_names"] = str(error)
        mics = library.cells(frame, "mic") if "mic" in columns else repeat(self._mic)
        for name, texts in _names.named_rows(names, asset.kind, keys, mics).items():
            present = library.columns(frame)
            if name not in present:
                frame = library.insert(frame, _names.place_of(name, present), name, texts)
        return frame

    def _arrow_parts(self, max_pages: int) -> List[bytes]:
        provenance = _frames.Provenance(self._path + self._query)
        parts: List[bytes] = []
        for received in self._received(_ARROW, max_pages):
            provenance.add_page(received.headers, {})
            parts.append(received.content)
        self.provenance = provenance.members()
        return self._in_time(parts)

    def _in_time(self, pages: List[Part]) -> List[Part]:
        return pages[::-1] if self._shape.is_newest_page_first else pages

    def _kept(self, count: int) -> Tuple[int, int]:
        """The first row and the one after the last, of so many rows in time order."""
        limit = count if self._limit is None else min(count, self._limit)
        return (count - limit, count) if self._shape.is_newest_page_first else (0, limit)

    def _rows_of(self, body: Any) -> List[Any]:
        for member in self._shape.members:
            body = body[member]
        return cast(List[Any], body)

    def _received(self, media_type: str, max_pages: int) -> Iterator[Received]:
        """The pages in the order of the gateway, as many as `limit` needs."""
        query: Optional[str] = self._query
        needed = None if self._limit is None or not self._page_rows else -(-self._limit // self._page_rows)
        count = 0
        while query is not None and count != needed:
            if count == max_pages:
                raise BoundExceeded(f"{self._path} has more than {max_pages} pages (max_pages).")
            count += 1
            call = Call("GET", self._path + query, is_repeatable=True, headers={"accept": media_type})
            received = self._transport.send(call)
            yield received
            following = _next_query(received.headers)
            if following == query:
                raise BoundExceeded(f"{self._path}: the next page is the same as this one.")
            query = following


def _page_rows(query: Mapping[str, Any], shape: Shape) -> Optional[int]:
    """The rows of a page: as many as possible, so that few requests read all. A page that is named by its number stays."""
    limit: Optional[int] = query.get("limit")
    if shape.page_rows is None or (limit is None and query.get("page") is not None):
        return limit
    return shape.page_rows if limit is None else min(limit, shape.page_rows)


def _next_query(headers: Mapping[str, str]) -> Optional[str]:
    """
    The query of the next page in the header `Link` (RFC 8288); None on the last page. The next page is requested at the
    same path of the same gateway, so only the query of the link is used.
    """
    for target, relation in re.findall(r'<([^>]*)>\s*;\s*rel="([^"]*)"', headers.get("link", "")):
        if relation == "next" and "?" in target:
            return cast(str, target[target.index("?") :])
    return None


@dataclass(frozen=True)
class Cost:
    """The cost of an operation in units, and the remaining units."""

    charged: int
    remaining: int


@dataclass(frozen=True)
class GraphQLAnswer(Generic[Result]):
    """The result of one operation."""

    data: Result
    #: Failures of single fields, which are null in `data`. They are not raised.
    errors: Tuple[ApiError, ...]
    cost: Optional[Cost]
    limits: Optional[Limits]
    request_id: Optional[str]


class Operations:
    """Runs documents of GraphQL. The generated class has a method for each published operation."""

    def __init__(self, send: Callable[[Call], Received]) -> None:
        self._send = send

    def run(self, document: str, variables: Optional[Mapping[str, Any]] = None) -> GraphQLAnswer[Any]:
        """
        Runs a query or a mutation. Raises `ApiError` if it has no result; failures of single fields are in `errors`.
        """
        received = self._send(
            Call(
                "POST",
                "/graphql",
                # Any other keyword counts as another operation.
                is_repeatable=re.search(r"\b(mutation|subscription)\b", document) is None,
                body={"query": document, "variables": variables or {}},
                headers={"accept": "application/graphql-response+json"},
            )
        )
        body = received.json()
        if not isinstance(body, dict) or not isinstance(body.get("data"), dict):
            raise api_error_of(received.status, received.headers, body)
        cost = (body.get("extensions") or {}).get("cost")
        return GraphQLAnswer(
            data=body["data"],
            errors=tuple(graphql_error_of(entry) for entry in body.get("errors") or ()),
            cost=Cost(cost["charged"], cost["remaining"]) if cost else None,
            limits=limits_of(received.headers),
            request_id=received.headers.get("x-request-id"),
        )
