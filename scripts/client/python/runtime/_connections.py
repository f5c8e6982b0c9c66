"""Connections to one gateway, reused by all threads of a process."""

from __future__ import annotations

import collections
import http.client
import io
import os
import ssl
import threading
import time
from typing import Any, Deque, Optional
from urllib.parse import urlsplit

# Idle connections that are kept. More threads than this open connections that are closed after their request.
_KEPT = 8

# A server closes idle connections too: Node after 5 seconds.
_IDLE_SECONDS = 4.0


class _DeadlineStream(io.RawIOBase):
    """Reads from a socket until a deadline, so that a server that sends byte by byte cannot hold a request."""

    def __init__(self, sock: Any, deadline: float) -> None:
        self._sock = sock
        self._stream = sock.makefile("rb", buffering=0)
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("no complete response in time")
        self._sock.settimeout(left)
        count: Optional[int] = self._stream.readinto(buffer)
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


class Connection:
    """One connection. It carries one request at a time."""

    def __init__(self, url: str, ssl_context: Optional[ssl.SSLContext]) -> None:
        parts = urlsplit(url)
        host = parts.hostname or ""
        self._http: http.client.HTTPConnection
        if parts.scheme == "https":
            context = ssl_context or ssl.create_default_context()
            self._http = http.client.HTTPSConnection(host, parts.port, context=context)
        else:
            self._http = http.client.HTTPConnection(host, parts.port)
        self.is_reused = False
        self.idle_since = 0.0

    def request(
        self, method: str, target: str, body: Optional[bytes], headers: dict[str, str], seconds: float
    ) -> http.client.HTTPResponse:
        """Sends a request and returns the response before its body is read. All of it ends within `seconds`."""
        deadline = time.monotonic() + seconds
        self._http.timeout = seconds
        if self._http.sock is not None:
            self._http.sock.settimeout(seconds)

        def response_class(sock: Any, *args: Any, **options: Any) -> http.client.HTTPResponse:
            response = http.client.HTTPResponse(sock, *args, **options)
            response.fp.close()
            response.fp = io.BufferedReader(_DeadlineStream(sock, deadline))
            return response

        self._http.response_class = response_class  # type: ignore[assignment]
        self._http.request(method, target, body, headers)
        return self._http.getresponse()

    def close(self) -> None:
        self._http.close()


class Connections:
    """A pool for all threads. A forked process opens connections of its own."""

    def __init__(self, url: str, ssl_context: Optional[ssl.SSLContext]) -> None:
        self._url = url
        self._ssl_context = ssl_context
        self._lock = threading.Lock()
        self._idle: Deque[Connection] = collections.deque()
        self._process = os.getpid()

    def acquire(self, *, fresh: bool) -> Connection:
        """An idle connection, or a new one. `fresh` demands a new one."""
        stale = []
        found = None
        with self._lock:
            if self._process != os.getpid():
                self._process = os.getpid()
                self._idle.clear()
            while self._idle and not fresh and found is None:
                connection = self._idle.pop()
                if time.monotonic() - connection.idle_since < _IDLE_SECONDS:
                    found = connection
                else:
                    stale.append(connection)
        for connection in stale:
            connection.close()
        if found is not None:
            found.is_reused = True
            return found
        return Connection(self._url, self._ssl_context)

    def release(self, connection: Connection) -> None:
        """Takes back a connection whose response was read to its end."""
        connection.idle_since = time.monotonic()
        with self._lock:
            if self._process == os.getpid() and len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        connection.close()

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        with self._lock:
            idle = list(self._idle)
            self._idle.clear()
        for connection in idle:
            connection.close()
