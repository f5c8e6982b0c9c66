"""What the generated routes have in common."""

from __future__ import annotations

import os
import ssl
from datetime import date, datetime, time, timezone
from typing import Any, Dict, Iterable, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

from ._answers import Answer, Rows, answer_of
from ._frames import Column
from ._releases import Releases
from ._transport import Call, Transport

Self = TypeVar("Self", bound="BaseClient")

#: A day: `2026-11-01`, a date, or a Timestamp of pandas at midnight without a time zone.
Day = Union[str, date]

#: An instant: `2026-11-01T12:00:00Z`, a datetime with a time zone, or a day, which is its start in UTC.
Instant = Union[str, date, datetime]


class BaseClient:
    """Settings and transport of a client."""

    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        token: Optional[str] = None,
        attempts: int = 4,
        total_seconds: float = 90.0,
        timeout_seconds: float = 45.0,
        max_bytes: int = 32 * 2**20,
        ssl_context: Optional[ssl.SSLContext] = None,
    ) -> None:
        """
        `url`: of the gateway. Default: MARKET_DATA_GATEWAY_URL, else http://127.0.0.1:4000.
        `key`: an API key. Default: MARKET_DATA_GATEWAY_KEY. Open routes need none.
        `token`: the access token of a login, instead of a key.
        `attempts`, `total_seconds`: maximum attempts of a request that only reads, and time for all of them.
        `timeout_seconds`: time for one attempt. A long poll takes up to 30 seconds.
        `max_bytes`: maximum size of one response after decompression.
        `ssl_context`: for a gateway with a certificate of your own authority.
        """
        credential: Dict[str, str] = {}
        key = key or (None if token else os.environ.get("MARKET_DATA_GATEWAY_KEY"))
        if key:
            credential["x-api-key"] = key
        if token:
            credential["authorization"] = f"Bearer {token}"
        self._transport = Transport(
            url or os.environ.get("MARKET_DATA_GATEWAY_URL") or "http://127.0.0.1:4000",
            credential=credential,
            attempts=attempts,
            total_seconds=total_seconds,
            timeout_seconds=timeout_seconds,
            max_bytes=max_bytes,
            ssl_context=ssl_context,
        )
        #: Lists, checks and downloads releases.
        self.releases = Releases(self._transport)

    def __repr__(self) -> str:
        return f"Client({self._transport.url!r})"

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the idle connections."""
        self._transport.close()

    def _get(self, path: str, query: Mapping[str, Any]) -> Answer[Any]:
        return answer_of(self._transport.send(Call("GET", path + query_of(query), is_repeatable=True)))

    def _rows(
        self, path: str, query: Mapping[str, Any], members: Tuple[str, ...], columns: Tuple[Column, ...]
    ) -> Rows[Any, Any]:
        return Rows(self._transport, path, query_of(query), members, columns)

    def _post(
        self, path: str, body: Mapping[str, Any], *, reads: bool = False, idempotency_key: Optional[str] = None
    ) -> Answer[Any]:
        members = variables_of(body)
        headers = {} if idempotency_key is None else {"idempotency-key": idempotency_key}
        is_repeatable = reads or idempotency_key is not None
        call = Call("POST", path, is_repeatable=is_repeatable, body=members or None, headers=headers)
        return answer_of(self._transport.send(call))

    def _delete(self, path: str, query: Mapping[str, Any]) -> Answer[Any]:
        return answer_of(self._transport.send(Call("DELETE", path + query_of(query), is_repeatable=False)))


def path_value(name: str, value: object) -> str:
    """A value in a path. An empty one would lead to another route."""
    text = text_of(value)
    if text in ("", ".", ".."):
        raise ValueError(f"{name} must not be {text!r}")
    return quote(text, safe="")


def query_of(values: Mapping[str, Any]) -> str:
    """The query string, or ''. None is omitted; a list is one value with commas."""
    query = urlencode([(name, text_of(value)) for name, value in values.items() if value is not None])
    return f"?{query}" if query else ""


def text_of(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(text_of(element) for element in value)
    return str(value)


def instant(value: Optional[Instant]) -> Optional[str]:
    """The argument of an instant: a day is its start in UTC."""
    value = _without_midnight(value)
    if isinstance(value, datetime):
        return _instant_of(value)
    if isinstance(value, date):
        return f"{value.isoformat()}T00:00:00Z"
    return f"{value}T00:00:00Z" if value is not None and len(value) == 10 else value


def day(value: Optional[Day]) -> Optional[str]:
    """The argument of a day. The day of an instant depends on the time zone, so an instant is refused."""
    value = _without_midnight(value)
    if isinstance(value, datetime):
        raise ValueError(f"give a day, such as {value.date()}, instead of an instant")
    return value.isoformat() if isinstance(value, date) else value


def variables_of(values: Mapping[str, Any]) -> Dict[str, Any]:
    """The variables of an operation. None is omitted."""
    return {name: _json_of(value) for name, value in values.items() if value is not None}


def _without_midnight(value: Any) -> Any:
    """pandas writes a day as a Timestamp at midnight without a time zone."""
    is_day = isinstance(value, datetime) and value.tzinfo is None and value.time() == time()
    return value.date() if is_day else value


def _instant_of(value: datetime) -> str:
    if value.tzinfo is None:
        raise ValueError(f"give {value} a time zone, such as tzinfo=timezone.utc")
    return value.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _json_of(value: Any) -> Any:
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    return list(value) if isinstance(value, (tuple, set, frozenset)) else value
