"""Checks Ed25519 signatures by the key set of a gateway."""

from __future__ import annotations

import base64
from typing import Any, Mapping, Sequence

from .errors import VerificationFailed

NOT_INSTALLED = "not checked: the package cryptography is not installed"


def can_check() -> bool:
    """Whether the package `cryptography` is installed."""
    try:
        import cryptography.hazmat.primitives.asymmetric.ed25519  # noqa: F401
    except ImportError:
        return False
    return True


def check_signature(
    signed: bytes, signature: bytes, key_id: Any, keys: Sequence[Mapping[str, Any]], name: str
) -> None:
    """Raises `VerificationFailed` unless the key of that id signed the bytes. `name` says what they are."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key = next((key for key in keys if key.get("kid") == key_id), None)
    if key is None:
        raise VerificationFailed(f"the gateway has no key {key_id} in /.well-known/jwks.json")
    try:
        Ed25519PublicKey.from_public_bytes(from_base64url(key["x"])).verify(signature, signed)
    except InvalidSignature:
        raise VerificationFailed(f"the signature of {name} is not valid") from None


def from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
