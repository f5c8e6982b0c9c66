"""
Reads streams of Apache Arrow as the gateway writes them, with numpy alone: record batches without dictionaries and
compression. The layout is that of the Arrow columnar format 1.0; its metadata are FlatBuffers.
"""

from __future__ import annotations

import struct
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy

_SCHEMA, _RECORD_BATCH = 1, 3
_INT, _FLOAT, _TEXT, _BOOL, _DECIMAL, _DATE, _TIMESTAMP, _LIST = 2, 3, 5, 6, 7, 8, 10, 12


class Cells(NamedTuple):
    """The cells of a column. Days and instants are datetime64, texts and lists Python objects."""

    values: Any
    #: True where a cell is null; None without nulls.
    mask: Optional[Any]


class Table(NamedTuple):
    columns: Dict[str, Cells]
    rows: int
    metadata: Dict[str, str]


class _Field(NamedTuple):
    name: str
    kind: int
    #: Bits of a whole number; unit of a day or an instant.
    detail: int
    children: List["_Field"]


class _Flat:
    """A table of FlatBuffers at a position of a buffer."""

    def __init__(self, data: bytes, position: int) -> None:
        self._data = data
        self._position = position
        self._layout = position - self._number("<i", position)

    @classmethod
    def root(cls, data: bytes, position: int) -> "_Flat":
        return cls(data, position + struct.unpack_from("<I", data, position)[0])

    def number(self, member: int, form: str, default: int = 0) -> int:
        position = self._member(member)
        return default if position is None else self._number(form, position)

    def table(self, member: int) -> Optional["_Flat"]:
        position = self._member(member)
        return None if position is None else _Flat(self._data, self._target(position))

    def text(self, member: int) -> str:
        start, length = self._vector(member)
        return self._data[start : start + length].decode()

    def tables(self, member: int) -> List["_Flat"]:
        start, length = self._vector(member)
        return [_Flat(self._data, self._target(start + 4 * index)) for index in range(length)]

    def pairs(self, member: int) -> List[Tuple[int, int]]:
        """A vector of structures of two 64-bit numbers."""
        start, length = self._vector(member)
        return list(struct.iter_unpack("<qq", self._data[start : start + 16 * length]))  # type: ignore[arg-type]

    def _vector(self, member: int) -> Tuple[int, int]:
        position = self._member(member)
        if position is None:
            return 0, 0
        start = self._target(position)
        return start + 4, self._number("<I", start)

    def _member(self, member: int) -> Optional[int]:
        entry = 4 + 2 * member
        if entry >= self._number("<H", self._layout):
            return None
        offset = self._number("<H", self._layout + entry)
        return None if offset == 0 else self._position + offset

    def _target(self, position: int) -> int:
        return position + self._number("<I", position)

    def _number(self, form: str, position: int) -> int:
        number: int = struct.unpack_from(form, self._data, position)[0]
        return number


def read_stream(data: bytes) -> Table:
    """The columns of all record batches of a stream."""
    fields: List[_Field] = []
    metadata: Dict[str, str] = {}
    batches: List[List[Cells]] = []
    rows = 0
    position = 0
    while position < len(data):
        marker, size = struct.unpack_from("<iI", data, position)
        if marker != -1:
            raise ValueError("The response is no Arrow stream.")
        if size == 0:
            break
        message = _Flat.root(data, position + 8)
        kind, header = message.number(1, "<B"), message.table(2)
        position += 8 + size
        if kind == _SCHEMA and header is not None:
            fields = [_field_of(child) for child in header.tables(1)]
            metadata = {pair.text(0): pair.text(1) for pair in header.tables(2)}
        elif kind == _RECORD_BATCH and header is not None:
            batch = _Batch(data, position, header)
            batches.append([batch.cells(field) for field in fields])
            rows += header.number(0, "<q")
        position += message.number(3, "<q")
    columns = {field.name: joined([batch[at] for batch in batches]) for at, field in enumerate(fields)}
    return Table(columns, rows, metadata)


def joined(parts: List[Cells]) -> Cells:
    """The cells of several batches."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Cells(numpy.empty(0, dtype=object), None)
    masks = [numpy.zeros(len(values), dtype=bool) if mask is None else mask for values, mask in parts]
    is_full = all(part.mask is None for part in parts)
    return Cells(numpy.concatenate([part.values for part in parts]), None if is_full else numpy.concatenate(masks))


def _field_of(field: _Flat) -> _Field:
    kind = field.number(2, "<B")
    form = field.table(3)
    # Absent members have the defaults of the format: 0 bits, the unit millisecond of a day, the unit second of an instant.
    detail = 0
    if form is not None and kind == _INT:
        detail = form.number(0, "<i")
    elif form is not None and kind in (_DATE, _TIMESTAMP):
        detail = form.number(0, "<h", 1 if kind == _DATE else 0)
    return _Field(field.text(0), kind, detail, [_field_of(child) for child in field.tables(5)])


class _Batch:
    """A record batch: its nodes and buffers are in the order of the fields."""

    def __init__(self, data: bytes, body: int, header: _Flat) -> None:
        self._data = data
        self._body = body
        self._nodes: Iterator[Tuple[int, int]] = iter(header.pairs(1))
        self._buffers: Iterator[Tuple[int, int]] = iter(header.pairs(2))

    def cells(self, field: _Field) -> Cells:
        length, nulls = next(self._nodes)
        validity = next(self._buffers)
        mask = None if nulls == 0 else ~self._bits(validity, length)
        if field.kind == _LIST:
            return Cells(self._lists(field, length, mask), mask)
        if field.kind == _TEXT:
            return Cells(_objects(self._texts(length, mask)), mask)
        return Cells(self._numbers(field, length), mask)

    def _numbers(self, field: _Field, length: int) -> Any:
        buffer = next(self._buffers)
        if field.kind == _BOOL:
            return self._bits(buffer, length)
        if field.kind == _FLOAT:
            return self._array(buffer, "<f8", length)
        if field.kind == _INT:
            return self._array(buffer, f"<i{field.detail // 8}", length)
        if field.kind == _DECIMAL:
            return self._whole(buffer, length)
        if field.kind == _DATE:
            stored = self._array(buffer, "<i4" if field.detail == 0 else "<i8", length).astype("i8")
            return stored.view("M8[D]" if field.detail == 0 else "M8[ms]")
        if field.kind == _TIMESTAMP:
            return self._array(buffer, "<i8", length).view(f"M8[{('s', 'ms', 'us', 'ns')[field.detail]}]")
        raise ValueError(f"The column {field.name} has a type that this client does not know.")

    def _whole(self, buffer: Tuple[int, int], length: int) -> Any:
        """Decimals of 128 bits without digits after the point."""
        halves = self._array(buffer, "<i8", 2 * length).reshape(length, 2)
        if (halves[:, 1] != halves[:, 0] >> 63).any():
            raise OverflowError("A whole number has more than 64 bits.")
        return halves[:, 0]

    def _texts(self, length: int, mask: Optional[Any]) -> List[Optional[str]]:
        ends = self._array(next(self._buffers), "<i4", length + 1).tolist()
        start, size = next(self._buffers)
        raw = self._data[self._body + start : self._body + start + size]
        text = raw.decode()
        known: Dict[str, str] = {}
        # Most texts repeat: one object serves all equal cells.
        if len(text) == len(raw):
            cells = (text[first:last] for first, last in zip(ends, ends[1:]))
        else:
            cells = (raw[first:last].decode() for first, last in zip(ends, ends[1:]))
        texts: List[Optional[str]] = [known.setdefault(cell, cell) for cell in cells]
        return texts if mask is None else [None if null else cell for cell, null in zip(texts, mask)]

    def _lists(self, field: _Field, length: int, mask: Optional[Any]) -> Any:
        ends = self._array(next(self._buffers), "<i4", length + 1).tolist()
        values, nulls = self.cells(field.children[0])
        if values.dtype.kind == "M":
            values = numpy.datetime_as_string(values).astype(object)
        elements = values.tolist()
        if nulls is not None:
            elements = [None if null else element for element, null in zip(elements, nulls)]
        lists: List[Any] = [elements[first:last] for first, last in zip(ends, ends[1:])]
        return _objects(lists if mask is None else [None if null else cell for cell, null in zip(lists, mask)])

    def _bits(self, buffer: Tuple[int, int], length: int) -> Any:
        stored = self._array(buffer, "u1", (length + 7) // 8)
        return numpy.unpackbits(stored, bitorder="little", count=length).astype(bool)

    def _array(self, buffer: Tuple[int, int], form: str, count: int) -> Any:
        start, size = buffer
        if size == 0:
            return numpy.zeros(count, dtype=form)
        return numpy.frombuffer(self._data, dtype=form, count=count, offset=self._body + start)


def _objects(cells: List[Any]) -> Any:
    array = numpy.empty(len(cells), dtype=object)
    array[:] = cells
    return array
