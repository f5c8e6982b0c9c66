"""What the generated routes have in common."""

from __future__ import annotations

import os
import ssl
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Sequence, TypeVar, cast

from ._answers import Answer, Rows, Shape, answer_of
from ._names import AssetNames
from ._prices import prices_frame
from ._releases import Releases
from ._transport import Call, Transport
from ._values import Day, Instant, day, instant, query_of, variables_of

if TYPE_CHECKING:
    import pandas

    from ._clock import PastClient

#: How long a key with a clock stays valid if the program that made it ends without revoking it.
_PAST_KEY_AGE = timedelta(days=1)

Self = TypeVar("Self", bound="BaseClient")


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
        self._known_names: Optional[AssetNames] = None
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

    def at(
        self: Any, at: Instant, *, basis: str = "observed", expires_at: Optional[Instant] = None
    ) -> "PastClient":
        """
        A client whose every answer is as of an instant, for `with client.at("2023-06-01") as past:`. It makes a key with that
        clock and revokes it at the end of the block, also after an exception. The credential of this client needs the scope
        keys:manage.

        at: The instant, not in the future.
        basis: `observed` (what the gateway had ingested by then) or `published` (what publishers had made known by then).
        expires_at: When the key expires, which is what ends it if the program is killed. Default: in one day.
        """
        from ._clock import PastClient

        key = self.create_api_key(
            label="client.at of Python, revoked when the program ends",
            clock={"as_of": instant(at), "basis": basis},
            expires_at=expires_at or datetime.now(timezone.utc) + _PAST_KEY_AGE,
        )
        return PastClient(self._transport, key.body)

    def _get(self, path: str, query: Mapping[str, Any]) -> Answer[Any]:
        return answer_of(self._transport.send(Call("GET", path + query_of(query), is_repeatable=True)))

    def _rows(
        self, path: str, query: Mapping[str, Any], shape: Shape, labels: Mapping[str, str]
    ) -> Rows[Any, Any]:
        return Rows(self._transport, path, query, shape, labels, self._asset_names)

    def _asset_names(self: Any) -> AssetNames:
        """The catalogue of assets, read once."""
        if self._known_names is None:
            self._known_names = AssetNames(self.asset_index())
        return cast(AssetNames, self._known_names)

    def prices(
        self: Any,
        names: Sequence[str],
        *,
        from_: Optional[Day] = None,
        to: Optional[Day] = None,
        adjust: str = "none",
        as_of: Optional[Instant] = None,
        wide: bool = False,
    ) -> "pandas.DataFrame":
        """
        Daily prices of crypto assets, stocks and ETFs in one DataFrame: `slug`, `ticker`, `date`, `price`, `currency` and
        `price_source` (`consensus_vwap` of a crypto asset, `close` of a stock or ETF), by slug and date. An asset without a
        price on a day has no row for it.

        names: Slugs or tickers. A ticker of several assets is refused: name one of them by its slug.
        from_: First day. Default: 30 days before `to`.
        to: Last day. Default: today (UTC).
        adjust: What prices of stocks and ETFs are adjusted for: none, splits or all.
        as_of: Prices as they were known at this instant.
        wide: True gives one row for each date and one column for each slug.
        """
        return prices_frame(self, names, {"from_": day(from_), "to": day(to), "as_of": as_of}, adjust, wide)

    def _post(
        self, path: str, body: Mapping[str, Any], *, reads: bool = False, idempotency_key: Optional[str] = None
    ) -> Answer[Any]:
        members = variables_of(body)
        headers = {} if idempotency_key is None else {"idempotency-key": idempotency_key}
        is_repeatable = reads or idempotency_key is not None
        call = Call("POST", path, is_repeatable=is_repeatable, body=members or None, headers=headers)
        return answer_of(self._transport.send(call))

    def _patch(self, path: str, body: Mapping[str, Any]) -> Answer[Any]:
        call = Call("PATCH", path, is_repeatable=False, body=variables_of(body))
        return answer_of(self._transport.send(call))

    def _delete(self, path: str, query: Mapping[str, Any]) -> Answer[Any]:
        return answer_of(self._transport.send(Call("DELETE", path + query_of(query), is_repeatable=False)))
