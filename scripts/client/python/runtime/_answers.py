"""The answers of a gateway: one response, the rows of a list, the result of an operation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Generic,
    Iterator,
    List,
    Mapping,
    Optional,
    Tuple,
    TypeVar,
    cast,
)

from . import _frames
from ._limits import Limits, limits_of
from ._transport import Call, Received, Transport
from .errors import ApiError, BoundExceeded, api_error_of, graphql_error_of

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Body = TypeVar("Body")
Row = TypeVar("Row")
Result = TypeVar("Result")

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


class Rows(Generic[Body, Row]):
    """
    The rows of a list, series or feed. Nothing is requested before you read it: by a loop over the rows, by `first`,
    `pages`, `to_pandas`, `to_polars` or `to_arrow`. Each reading requests the data again.
    """

    def __init__(
        self,
        transport: Transport,
        path: str,
        query: str,
        members: Tuple[str, ...],
        columns: Tuple[_frames.Column, ...],
    ) -> None:
        self._transport = transport
        self._path = path
        self._query = query
        self._members = members
        self._columns = columns
        #: Freshness, sources and release of the rows that were read last; `to_pandas` has them in `attrs`.
        self.provenance: Dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"Rows({self._path}{self._query})"

    def __iter__(self) -> Iterator[Row]:
        """The rows of all pages. Each page is requested when its rows are needed."""
        for page in self.pages():
            yield from cast(List[Row], self._rows_of(page.body))

    def first(self) -> Answer[Body]:
        """The first page."""
        return next(self.pages())

    def pages(self, max_pages: int = 1_000) -> Iterator[Answer[Body]]:
        """
        The pages from the requested one to the last. Each is requested when it is needed. More than `max_pages` raise
        `BoundExceeded`, so that a list never ends early unnoticed.
        """
        for received in self._received("application/json", max_pages):
            yield answer_of(received)

    def to_pandas(self, max_pages: int = 1_000) -> "pandas.DataFrame":
        """
        The rows of all pages as a DataFrame. Numbers are float64, the same double as in JSON; instants are
        datetime64[ns, UTC], days datetime64[ns]; whole numbers and booleans that may be null are Int64 and boolean;
        texts are string; lists and objects stay Python objects. `attrs` has what `provenance` has.
        """
        rows: List[Any] = []
        provenance = _frames.Provenance(self._path + self._query)
        for page in self.pages(max_pages):
            rows += self._rows_of(page.body)
            provenance.add_page(page.body, page.headers)
        self.provenance = provenance.members()
        return _frames.pandas_frame(rows, self._columns, self.provenance)

    def to_polars(self, max_pages: int = 1_000) -> "polars.DataFrame":
        """
        The rows of all pages as a DataFrame of Polars, read from Arrow. A DataFrame of Polars has no metadata: see
        `provenance`.
        """
        return _frames.polars_frame(self._arrow_parts(max_pages))

    def to_arrow(self, max_pages: int = 1_000) -> "pyarrow.Table":
        """
        The rows of all pages as a table of pyarrow, with the types of the gateway. The metadata of the schema has
        source, freshness, data version and release of the first page; `provenance` has those of all pages.
        """
        return _frames.arrow_table(self._arrow_parts(max_pages))

    def _arrow_parts(self, max_pages: int) -> Iterator[bytes]:
        provenance = _frames.Provenance(self._path + self._query)
        for received in self._received(_ARROW, max_pages):
            provenance.add_page({}, received.headers)
            yield received.content
        self.provenance = provenance.members()

    def _rows_of(self, body: Any) -> List[Any]:
        for member in self._members:
            body = body[member]
        return cast(List[Any], body)

    def _received(self, media_type: str, max_pages: int) -> Iterator[Received]:
        query: Optional[str] = self._query
        count = 0
        while query is not None:
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
