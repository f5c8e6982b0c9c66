"""A client whose answers are all as of one instant."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from ._answers import answer_of
from ._transport import Call, Transport
from ._values import Instant, instant
from .client import Client
from .errors import GatewayError


class PastClient(Client):
    """
    A client whose every answer is as of `as_of`: it sends a key with that clock, which `Client.at` makes. `close`, or the end
    of a `with` block, revokes the key.
    """

    #: The instant as of which the gateway answers.
    as_of: datetime

    def __init__(self, maker: Transport, key: Any) -> None:
        """
        `maker`: sends requests with the credential that made the key.
        `key`: the answer of the gateway to its creation.
        """
        super().__init__(
            maker.url,
            key["raw_key"],
            attempts=maker.attempts,
            total_seconds=maker.total_seconds,
            timeout_seconds=maker.timeout_seconds,
            max_bytes=maker.max_bytes,
            ssl_context=maker.ssl_context,
        )
        self._maker = maker
        self._key_path = f"/auth/keys/{key['key_id']}"
        self.as_of = _as_of(key)

    def __repr__(self) -> str:
        return f"{super().__repr__()}.at({self.as_of.isoformat()!r})"

    def __exit__(self, kind: object, *_: object) -> None:
        """Revokes the key. A failure to do so does not replace an exception of the block."""
        try:
            self.close()
        except GatewayError:
            if kind is None:
                raise

    def close(self) -> None:
        """Revokes the key and closes the idle connections."""
        try:
            # A key that is revoked twice stays revoked, so the client may repeat the request.
            self._maker.send(Call("DELETE", self._key_path, is_repeatable=True))
        finally:
            super().close()

    def advance(self, **duration: float) -> datetime:
        """
        Moves the clock forward by a duration, such as `days=1` or `hours=6` (the arguments of `timedelta`). Returns the new
        instant.
        """
        return self.advance_to(self.as_of + timedelta(**duration))

    def advance_to(self, at: Instant) -> datetime:
        """
        Moves the clock forward to an instant and returns it. Raises `ValidationError` if the instant is before the clock or in
        the future.
        """
        body = {"clock": {"as_of": instant(at)}}
        # The instant is absolute, so the client may repeat the request.
        call = Call("PATCH", self._key_path, is_repeatable=True, body=body)
        self.as_of = _as_of(answer_of(self._maker.send(call)).body)
        # The catalogue of assets may have changed by then.
        self._known_names = None
        return self.as_of


def _as_of(key: Any) -> datetime:
    return datetime.fromisoformat(key["clock"]["as_of"].replace("Z", "+00:00"))
