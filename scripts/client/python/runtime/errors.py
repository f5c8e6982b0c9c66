"""What a call raises. `ApiError` has one subclass for each error code of the gateway."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar, Dict, List, Mapping, Optional, Type

from ._limits import Limits, limits_of


class GatewayError(Exception):
    """The base of all exceptions of this package."""


class ConnectionFailed(GatewayError):
    """No complete response arrived: the connection failed, broke, or took too long. `__cause__` has the reason."""


class BoundExceeded(GatewayError):
    """A limit of the client is exceeded: bytes of a response, or pages."""


class VerificationFailed(GatewayError):
    """A release is not what its manifest, hash or signature says."""


class ApiError(GatewayError):
    """The gateway refused a request. The text of the exception is the message of the gateway."""

    _types: ClassVar[Dict[str, Type["ApiError"]]] = {}

    def __init_subclass__(cls, *, code: str, **options: Any) -> None:
        super().__init_subclass__(**options)
        ApiError._types[code] = cls

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        details: Optional[List[Dict[str, str]]] = None,
        request_id: Optional[str] = None,
        required_scope: Optional[str] = None,
        upgrade_url: Optional[str] = None,
        retry_after: Optional[float] = None,
        limits: Optional[Limits] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: The error code, such as `validation_error`.
        self.code = code
        #: The HTTP status. For one field in GraphQL, the status that it would have in REST.
        self.status = status
        #: One `{"field": ..., "message": ...}` for each problem with a parameter.
        self.details = details or []
        #: Identifies the request in the gateway's log.
        self.request_id = request_id
        #: The scope that the key lacks, and where to get it.
        self.required_scope = required_scope
        self.upgrade_url = upgrade_url
        #: Seconds until a retry may succeed; None if unknown.
        self.retry_after = retry_after
        #: The remaining quotas; None if the response does not have them.
        self.limits = limits

    def __str__(self) -> str:
        return f"{self.message} ({self.code}, {self.status}, request {self.request_id})"


def api_error_of(status: int, headers: Mapping[str, str], body: Any) -> ApiError:
    """The exception for a response that is a failure."""
    members = _members_of(body)
    members.setdefault("message", f"The response has the status {status}.")
    retry_after = _seconds_of(headers.get("retry-after"))
    error = _error_of(members, status, limits_of(headers))
    error.request_id = error.request_id or headers.get("x-request-id")
    error.retry_after = error.retry_after if retry_after is None else retry_after
    return error


def graphql_error_of(entry: Any) -> ApiError:
    """The exception for an entry of `errors` in GraphQL."""
    members = _members_of({"errors": [entry]})
    members.setdefault("message", "The operation failed.")
    http = members.get("http")
    status = http.get("status", 500) if isinstance(http, dict) else 500
    return _error_of(members, status, None)


def _error_of(members: Dict[str, Any], status: int, limits: Optional[Limits]) -> ApiError:
    code = str(members.get("error") or members.get("code") or "unexpected_answer").lower()
    details = members.get("details")
    retry_at = members.get("retry_after")
    return ApiError._types.get(code, ApiError)(
        str(members["message"]),
        code=code,
        status=status,
        details=details if isinstance(details, list) else [],
        request_id=members.get("request_id"),
        required_scope=members.get("required_scope"),
        upgrade_url=members.get("upgrade_url"),
        retry_after=max(0.0, retry_at - time.time()) if isinstance(retry_at, (int, float)) else None,
        limits=limits,
    )


def _members_of(body: Any) -> Dict[str, Any]:
    """The members of an error. GraphQL has them in `extensions` of its first error."""
    if not isinstance(body, dict):
        return {}
    errors = body.get("errors")
    if not isinstance(errors, list) or not errors or not isinstance(errors[0], dict):
        return dict(body)
    members = dict(errors[0].get("extensions") or {})
    if "message" in errors[0]:
        members["message"] = errors[0]["message"]
    return members


def _seconds_of(header: Optional[str]) -> Optional[float]:
    """`Retry-After`: seconds, or the instant as a date (RFC 9110)."""
    if header is None:
        return None
    if header.isascii() and header.isdigit() and len(header) < 10:
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
