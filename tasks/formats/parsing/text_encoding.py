"""Find out the encoding of a text file, and read it as UTF-8."""

import codecs
import io
from pathlib import Path
from typing import BinaryIO

from tasks.errors import ReadError


def encoding_of(head: bytes) -> str:
    """Return utf-8-sig, utf-16 (by its mark, or by its zeros) or utf-8."""
    if head.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = head[0:4000:2].count(0), head[1:4000:2].count(0)
    if odd > len(head[:4000]) // 4 and not even:
        return "utf-16-le"
    return "utf-16-be" if even > len(head[:4000]) // 4 and not odd else "utf-8"


def utf8_bytes(path: Path, encoding: str | None = None) -> bytes:
    """Return the whole file as UTF-8 without a mark. Bytes that are no UTF-8 stay unchanged."""
    data = path.read_bytes()
    encoding = encoding or encoding_of(data)
    if encoding == "utf-8-sig":
        return data[len(codecs.BOM_UTF8) :]
    if encoding == "utf-8":
        return data
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeError as e:
        raise ReadError.of(path, f"begins like UTF-16 but is not UTF-16: {e}.", "Save the file as UTF-8.") from e


def open_utf8(path: Path, encoding: str) -> BinaryIO:
    """Open the file as a stream of what `utf8_bytes` returns."""
    if encoding not in ("utf-8", "utf-8-sig"):
        return io.BytesIO(utf8_bytes(path, encoding))
    file = path.open("rb")
    file.seek(len(codecs.BOM_UTF8) if encoding == "utf-8-sig" else 0)
    return file


def decode_start(head: bytes, encoding: str) -> str:
    """Decode the beginning of a file. Bytes that are cut or are no UTF-8 are replaced."""
    return head.decode(encoding, "replace").removeprefix("\ufeff")
