"""Sends requests with retries, and reads responses up to a limit."""

from __future__ import annotations

import http.client
import json
import random
import re
import ssl
import time
import zlib
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, Mapping, Optional
from urllib.parse import urlsplit

from ._connections import Connection, Connections
from .errors import ApiError, BoundExceeded, ConnectionFailed, GatewayError, api_error_of

# The first pause in seconds. It doubles with each failure, up to the longest.
_FIRST_PAUSE = 0.25
_LONGEST_PAUSE = 15.0

# Statuses after which a retry makes sense.
_BUSY = (429, 503)

_CHUNK_BYTES = 65_536


@dataclass(frozen=True)
class Call:
    """One request, before its attempts."""

    method: str
    #: Path and query.
    target: str
    #: Whether it may be repeated: it changes nothing, or has an idempotency key.
    is_repeatable: bool
    body: Optional[Any] = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Received:
    """A complete response. The names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> Any:
        """The body; None without one."""
        if not self.content:
            return None
        try:
            return json.loads(self.content)
        except ValueError:
            message = {"message": "The response is not JSON."}
            raise api_error_of(self.status, self.headers, message) from None


class Retries:
    """Counts consecutive failures and waits between attempts, up to a number of attempts and a deadline."""

    def __init__(self, attempts: int, total_seconds: float) -> None:
        self._attempts = attempts
        self._tried = 0
        self._deadline = time.monotonic() + total_seconds

    @property
    def left(self) -> float:
        """The remaining seconds for all attempts."""
        return max(0.0, self._deadline - time.monotonic())

    def reset(self) -> None:
        """Counts attempts anew after progress. The deadline stays."""
        self._tried = 0

    def wait_after(self, error: GatewayError) -> None:
        """Waits until the next attempt; raises the error if another attempt is not allowed or would fail again."""
        self._tried += 1
        pause = _pause_after(error, self._tried)
        if pause is None or self._tried >= self._attempts or pause >= self.left:
            raise error
        time.sleep(pause)


def _pause_after(error: GatewayError, tried: int) -> Optional[float]:
    """Seconds until the next attempt: `Retry-After`, else a growing pause. None if it would fail in the same way."""
    if isinstance(error, ApiError):
        if error.status not in _BUSY:
            return None
        if error.retry_after is not None:
            return error.retry_after + random.random() * 0.25
    elif not isinstance(error, ConnectionFailed):
        return None
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** (tried - 1)) * (0.5 + random.random() / 2)


class Transport:
    """One gateway with one credential, for all threads."""

    def __init__(
        self,
        url: str,
        *,
        credential: Mapping[str, str],
        attempts: int,
        total_seconds: float,
        timeout_seconds: float,
        max_bytes: int,
        ssl_context: Optional[ssl.SSLContext],
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
            raise ValueError("url must be that of a gateway, such as https://gateway.example.org")
        for value in credential.values():
            # http.client would show the value in its exception.
            if not re.fullmatch(r"[\x21-\x7e]+( [\x21-\x7e]+)?", value):
                raise ValueError("key and token must be printable ASCII without spaces or line breaks")
        self.url = url.rstrip("/")
        self.attempts = attempts
        self.total_seconds = total_seconds
        self.timeout_seconds = timeout_seconds
        self.max_bytes = max_bytes
        self._credential = dict(credential)
        self._prefix = parts.path.rstrip("/")
        self.ssl_context = ssl_context
        self._connections = Connections(url, ssl_context)

    def send(self, call: Call) -> Received:
        """Raises an `ApiError` for every status except 2xx."""
        retries = Retries(self.attempts, self.total_seconds)
        while True:
            try:
                return self._attempt(call, min(self.timeout_seconds, retries.left))
            except GatewayError as error:
                if not call.is_repeatable:
                    raise
                retries.wait_after(error)

    def _attempt(self, call: Call, seconds: float) -> Received:
        # A connection that the server has just closed would make a write fail that must not be repeated.
        connection = self._connections.acquire(fresh=not call.is_repeatable)
        try:
            response = self._open(connection, call, seconds)
        except ConnectionFailed:
            if not connection.is_reused:
                raise
            connection = self._connections.acquire(fresh=True)
            response = self._open(connection, call, seconds)
        try:
            content = self._read(response)
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._connections.release(connection)
        headers = headers_of(response)
        if 200 <= response.status < 300:
            return Received(response.status, headers, content)
        raise api_error_of(response.status, headers, _parsed(content))

    def _open(self, connection: Connection, call: Call, seconds: float) -> http.client.HTTPResponse:
        body = None if call.body is None else json.dumps(call.body, allow_nan=False).encode()
        headers = {"accept": "application/json", "accept-encoding": "gzip", **self._credential, **call.headers}
        if body is not None:
            headers["content-type"] = "application/json"
        return open_response(connection, call.method, self._prefix + call.target, body, headers, seconds)

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        parts = []
        count = 0
        for part in body_of(response):
            count += len(part)
            if count > self.max_bytes:
                raise BoundExceeded(f"The response has more than {self.max_bytes} bytes (max_bytes).")
            parts.append(part)
        return b"".join(parts)

    def stream(
        self, target: str, headers: Mapping[str, str], seconds: float
    ) -> "tuple[Connection, http.client.HTTPResponse]":
        """Opens a file on a connection of its own, which the caller closes. Follows redirects without the key."""
        url, path = self.url, self._prefix + target
        sent: Dict[str, str] = {"accept": "*/*", **self._credential, **headers}
        for _ in range(5):
            connection = Connection(url, self.ssl_context)
            try:
                response = open_response(connection, "GET", path, None, sent, seconds)
                if response.status not in (302, 303, 307, 308):
                    if response.status >= 400:
                        raise api_error_of(response.status, headers_of(response), _parsed(self._read(response)))
                    return connection, response
                parts = urlsplit(headers_of(response).get("location", ""))
            except BaseException:
                connection.close()
                raise
            connection.close()
            if not parts.hostname or parts.scheme not in ("http", "https"):
                raise ConnectionFailed("The gateway redirected to an address that is not HTTP.")
            if parts.scheme == "http" and url.startswith("https:"):
                raise ConnectionFailed("The gateway redirected from HTTPS to HTTP.")
            url = f"{parts.scheme}://{parts.netloc}"
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            sent = {"accept": "*/*", **headers}
        raise ConnectionFailed("The gateway redirected five times.")

    def close(self) -> None:
        self._connections.close()


def open_response(
    connection: Connection,
    method: str,
    target: str,
    body: Optional[bytes],
    headers: Dict[str, str],
    seconds: float,
) -> http.client.HTTPResponse:
    try:
        return connection.request(method, target, body, headers, seconds)
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        raise ConnectionFailed(f"The gateway did not respond: {error or type(error).__name__}") from error
    except BaseException:
        connection.close()
        raise


def body_of(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The parts of the body, decompressed. A small compressed part never becomes more than one chunk in memory."""
    inflate = None
    if response.headers.get("content-encoding", "").lower() == "gzip":
        inflate = zlib.decompressobj(wbits=31)
    try:
        while True:
            part = response.read(_CHUNK_BYTES)
            if not part:
                break
            if inflate is None:
                yield part
                continue
            while part:
                yield inflate.decompress(part, _CHUNK_BYTES)
                part = inflate.unconsumed_tail
    except (OSError, http.client.HTTPException, zlib.error) as error:
        raise ConnectionFailed(f"The response broke off: {error or type(error).__name__}") from error
    # `read` returns nothing both at the end and where a connection ends early.
    if response.length or (inflate is not None and not inflate.eof):
        raise ConnectionFailed("The response broke off before its end.")


def headers_of(response: http.client.HTTPResponse) -> Dict[str, str]:
    headers: Dict[str, str] = {}
    for name, value in response.headers.items():
        name = name.lower()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _parsed(content: bytes) -> Any:
    """None for a text that is not JSON, such as the page of a proxy."""
    try:
        return json.loads(content)
    except ValueError:
        return None
