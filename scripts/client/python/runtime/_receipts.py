"""Checks receipts of answers."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Dict, Mapping, Union

from ._signatures import NOT_INSTALLED, can_check, check_signature, from_base64url
from .errors import VerificationFailed


def verify_receipt(receipt: str, answer: Union[bytes, str], jwks: Mapping[str, Any]) -> Dict[str, Any]:
    """
    Checks that a gateway signed a receipt, and that it was given for the answer. Needs no network, and the package
    `cryptography`. Returns what the receipt says: instant, clock, operation, request, data_versions, scopes, withheld.
    Raises `VerificationFailed` if something differs.

    receipt: The header `X-Receipt` of an answer to a request with `Prefer: receipt`.
    answer: The answer exactly as it came, before it was parsed.
    jwks: The key set of the gateway, at /.well-known/jwks.json.
    """
    if not can_check():
        raise VerificationFailed(NOT_INSTALLED)
    parts = receipt.strip().split(".")
    try:
        head, claims = (json.loads(from_base64url(part)) for part in parts[:2])
        signature = from_base64url(parts[2])
        is_receipt = head["alg"] == "EdDSA" and head["typ"] == "market-data-receipt" and len(parts) == 3
    except (ValueError, KeyError, IndexError, TypeError):
        is_receipt = False
    if not is_receipt:
        raise VerificationFailed("the text is not a receipt")
    check_signature(".".join(parts[:2]).encode(), signature, head.get("kid"), jwks["keys"], "the receipt")
    text = answer.encode() if isinstance(answer, str) else answer
    if hashlib.sha256(text).hexdigest() != claims["body_sha256"]:
        raise VerificationFailed("the answer is not the one that the receipt was given for")
    return claims
