"""Lists, checks and downloads releases."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Union
from urllib.parse import quote

from ._answers import Rows, Shape
from ._signatures import NOT_INSTALLED, can_check, check_signature, from_base64url
from ._transport import Call, Retries, Transport, body_of
from .errors import ApiError, ConnectionFailed, GatewayError, VerificationFailed

# The slowest transfer that is waited for, in bytes per second.
_SLOWEST = 16_384

_HASHED_BYTES = 2**20


@dataclass(frozen=True)
class DownloadedRelease:
    """A release whose files are complete and unchanged."""

    dataset: str
    release_id: str
    #: The directory with the files, manifest.json and seal.json. `market-data-gateway verify release` reads it too.
    directory: Path
    #: The Parquet files, sorted by name.
    files: List[Path]
    manifest: Dict[str, Any]
    #: `sha256:...` of the manifest, which names the hash of each file.
    content_hash: str
    #: `valid`, `not signed`, or why the signature was not checked.
    signature: str


class Releases:
    """Releases of datasets: signed Parquet files that never change."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, dataset: Optional[str] = None) -> List[Dict[str, Any]]:
        """The releases, newest first: all of them, or those of a dataset."""
        shape = Shape(("data",), ())
        rows: Rows[Any, Dict[str, Any]] = Rows(self._transport, "/v1/releases", {"dataset": dataset}, shape, {})
        return [row for row in rows]

    def manifest(self, dataset: str, release_id: str) -> Dict[str, Any]:
        """The manifest: files with their SHA-256, columns, gaps, sources with their terms. Its hash is checked."""
        return self._sealed(dataset, release_id).manifest

    def download(
        self,
        dataset: str,
        release_id: str,
        directory: Union[str, "os.PathLike[str]"],
        *,
        content_hash: Optional[str] = None,
    ) -> DownloadedRelease:
        """
        Downloads a release into `directory/<dataset>/<release_id>`, and verifies the hash of the manifest, the signature and
        the hash of each file. A download that broke off goes on where it ended; complete files are kept. Raises
        `VerificationFailed` if something differs.

        content_hash: The hash that you know, such as the one that a paper cites. A release with another hash is refused.

        The signature is checked if the package `cryptography` is installed; `signature` of the result says so otherwise. The
        keys are those of the gateway at /.well-known/jwks.json.
        """
        sealed = self._sealed(dataset, release_id)
        if content_hash is not None and content_hash != sealed.content_hash:
            raise VerificationFailed(f"{release_id} has the hash {sealed.content_hash}, not {content_hash}")
        signature = self._check_signature(sealed)
        target = Path(directory) / _safe_name(dataset) / _safe_name(release_id)
        target.mkdir(parents=True, exist_ok=True)
        path = f"/v1/releases/{quote(dataset, safe='')}/{quote(release_id, safe='')}/files"
        files = [self._download_file(path, entry, target) for entry in sealed.manifest["files"]]
        _write(target / "seal.json", sealed.seal_text)
        # The manifest comes last: a directory with a manifest is complete.
        _write(target / "manifest.json", sealed.text)
        return DownloadedRelease(
            dataset, release_id, target, sorted(files), sealed.manifest, sealed.content_hash, signature
        )

    def _sealed(self, dataset: str, release_id: str) -> "_Sealed":
        target = f"/v1/releases/{quote(dataset, safe='')}/{quote(release_id, safe='')}"
        received = self._transport.send(Call("GET", target, is_repeatable=True))
        return _sealed_of(received.json(), dataset, release_id)

    def _check_signature(self, sealed: "_Sealed") -> str:
        if sealed.signature is None:
            return "not signed"
        if not can_check():
            return NOT_INSTALLED
        keys = self._transport.send(Call("GET", "/.well-known/jwks.json", is_repeatable=True)).json()["keys"]
        signature = from_base64url(sealed.signature)
        check_signature(sealed.text.encode(), signature, sealed.signing_key_id, keys, sealed.release_id)
        return "valid"

    def _download_file(self, path: str, entry: Mapping[str, Any], directory: Path) -> Path:
        name = str(entry["name"])
        # A manifest of somebody else must not lead to other files.
        if not re.fullmatch(r"[A-Za-z0-9_-]+\.parquet", name):
            raise VerificationFailed(f"the manifest names a file {name!r}, which is no name of a Parquet file")
        file = directory / name
        if file.exists() and _sha256(file) == entry["sha256"]:
            return file
        part = directory / f"{name}.part"
        size = int(entry["bytes"])
        if not part.exists() or part.stat().st_size > size:
            part.write_bytes(b"")
        retries = Retries(self._transport.attempts, self._transport.total_seconds + size / _SLOWEST)
        is_second = False
        while True:
            self._complete(f"{path}/{name}", part, size, retries)
            if _sha256(part) == entry["sha256"]:
                break
            # An earlier part of the file may be of another release, or damaged.
            if is_second:
                part.unlink()
                raise VerificationFailed(f"{name} does not have the SHA-256 of the manifest")
            is_second = True
            part.write_bytes(b"")
        os.replace(part, file)
        return file

    def _complete(self, target: str, part: Path, size: int, retries: Retries) -> None:
        """Appends to the part until it has the size. A lost connection is repeated from where it ended."""
        while part.stat().st_size < size:
            before = part.stat().st_size
            try:
                self._append(target, part, size)
                if part.stat().st_size < size:
                    raise ConnectionFailed("The response broke off before its end.")
            except GatewayError as error:
                if isinstance(error, ApiError) and error.status == 416:
                    part.write_bytes(b"")
                if part.stat().st_size > before:
                    retries.reset()
                retries.wait_after(error)

    def _append(self, target: str, part: Path, size: int) -> None:
        start = part.stat().st_size
        seconds = self._transport.timeout_seconds + (size - start) / _SLOWEST
        headers = {"range": f"bytes={start}-"} if start > 0 else {}
        connection, response = self._transport.stream(target, headers, seconds)
        try:
            if response.status == 206:
                sent = response.headers.get("content-range", "")
                if not sent.startswith(f"bytes {start}-"):
                    raise ConnectionFailed(f"The response has another range: {sent}")
            elif response.status != 200:
                raise ConnectionFailed(f"The response has the status {response.status}.")
            else:
                start = 0
            with part.open("r+b") as file:
                file.truncate(start)
                file.seek(start)
                for piece in body_of(response):
                    start += len(piece)
                    if start > size:
                        raise VerificationFailed(f"{part.stem} is longer than the manifest says")
                    file.write(piece)
        finally:
            connection.close()


@dataclass(frozen=True)
class _Sealed:
    release_id: str
    manifest: Dict[str, Any]
    #: Canonical JSON, which is hashed and signed.
    text: str
    content_hash: str
    signature: Optional[str]
    signing_key_id: Optional[str]

    @property
    def seal_text(self) -> str:
        seal = {
            "release_id": self.release_id,
            "content_hash": self.content_hash,
            "signature": self.signature,
            "signing_key_id": self.signing_key_id,
        }
        return json.dumps(seal, separators=(",", ":"), sort_keys=True)


def _sealed_of(body: Any, dataset: str, release_id: str) -> _Sealed:
    """Checks the hash of the manifest and that it is the one that was requested."""
    text = str(body["canonical_manifest"])
    found = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    # The name of a release ends with the first digits of its hash.
    if found != body["content_hash"] or not release_id.endswith(f"-{found[7:19]}"):
        raise VerificationFailed(f"the manifest of {release_id} has the hash {found}, not {body['content_hash']}")
    manifest = json.loads(text)
    if manifest["dataset"] != dataset:
        raise VerificationFailed(f"the manifest of {release_id} is of {manifest['dataset']}, not of {dataset}")
    return _Sealed(
        release_id, manifest, text, found, body.get("signature"), body.get("signing_key_id")
    )


def _safe_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
        raise ValueError(f"{name!r} is no name of a dataset or release")
    return name


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        for piece in iter(lambda: stream.read(_HASHED_BYTES), b""):
            digest.update(piece)
    return digest.hexdigest()


def _write(file: Path, text: str) -> None:
    temporary = file.with_name(f"{file.name}.part")
    temporary.write_bytes(text.encode())
    os.replace(temporary, file)
