"""Hostile files, made from the fixtures of a format: any number of them, the same ones for the same seed.

Each case is one fixture (unpacked, where it is packed), changed by one of KINDS, and perhaps packed again.
"""

import copy
import csv
import gzip
import io
import json
import random
import re
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import polars as pl
import pyarrow

from tasks.formats import FORMATS, ReadOptions
from tasks.formats.answers.read_answers import ANSWER_FORMATS
from tasks.formats.columns.column_roles import MAPPABLE
from tasks.formats.parsing.decompress import unpacked
from tasks.formats.preferences.pairwise_table import ROLES
from tasks.formats.preferences.read_preferences import PREFERENCE_FORMATS
from tasks.formats.regions.read_regions import REGION_FORMATS

WORKBOOK = b"PK\x03\x04"  # all that stays packed
DATA = Path(__file__).parents[1] / "data"
EXPORTS = DATA / "exports"
PREFERENCES, REGIONS, ANSWERS = "preferences:", "regions:", "answers:"
READERS = (
    *FORMATS,
    *(f"{PREFERENCES}{name}" for name in PREFERENCE_FORMATS),
    *(f"{REGIONS}{name}" for name in REGION_FORMATS),
    *(f"{ANSWERS}{name}" for name in ANSWER_FORMATS),
)
"""The formats of ratings, those of preferences, those of spans and boxes, and those of rankings and texts."""


@dataclass(frozen=True)
class Case:
    """A file and how it is to be read. `name` says how to make it again: FORMAT/NUMBER, what was done to what."""

    name: str
    file: str
    data: bytes
    options: ReadOptions


def make(format_: str, number: int, seed: int) -> Case:
    """The case with this number; equal arguments give equal bytes."""
    rng = random.Random(f"{seed} {format_} {number}")
    fixture = rng.choice(fixtures(format_))
    file, content = rng.choice(plain(fixture))
    kind = "damage" if content.startswith(WORKBOOK) else rng.choice([*KINDS])
    data = KINDS[kind](rng, content, format_)
    if rng.random() < 0.15:
        kind, (file, data) = f"{kind}, packed", _packed(rng, file, data)
    return Case(f"{format_}/{number} {kind} of {fixture.name}", file, data, _options(rng, format_))


def fixtures(format_: str) -> list[Path]:
    """The files of a format, by name."""
    kind, _, name = format_.rpartition(":")
    folder = DATA / kind / name if kind and name != "cvat" else EXPORTS / name
    return sorted(path for path in folder.glob("*") if path.name != "expected.json")


@cache
def plain(path: Path) -> tuple[tuple[str, bytes], ...]:
    """What is in a file, unpacked: names and bytes."""
    if path.suffix == ".ann":  # brat's, which needs no unpacking and may be empty
        return ((path.name, path.read_bytes()),)
    with unpacked(path) as files:
        return tuple((file.name, file.read_bytes()) for file in files)


def deep(levels: int, opening: str = "[", closing: str = "]") -> str:
    """JSON that many levels deep."""
    return opening * levels + "1" + closing * levels


SCALARS: list[Any] = [
    *(None, True, False, 0, -1, -0.0, 1.5, 2**63, -(2**63) - 1, 10**400, 1e308, float("nan"), float("inf")),
    *("", " ", "\0", "\ufeff", "\u2028", "\ud800", "\udfff x", "\u202eabc", "😀" * 50, "nan", "NaN", "null", "-inf"),
    *("=cmd|' /C calc'!A0", "@SUM(1+1)*cmd", "+1", "-1", '=HYPERLINK("http://x")', "<script>alert(1)</script>"),
    *("a\nb", 'a"b', "a,b;c\td|e", "'; drop table ratings; --", "../../etc/passwd", "{n}", "%s", "\\", "#", "a#b"),
    *("1e999", "9" * 5_000, "x" * 100_000, "2026-13-45", "99999999999999", "0", "1.0", "-0.0", "1_000", "٣"),
    *("[" * 300, '{"a":' * 300, deep(200), '{"choices": [1', '["a", null, {}]', '{"label": {"label": {"label": 1}}}'),
]
NESTED: list[Any] = [
    *([], {}, [[]], [None], [{}], {"": None}, {"id": {"id": {"id": 1}}}, [[["a"], "b"], ["c"]], [1, "1", 1.0, True]),
    *(json.loads(deep(60)), json.loads(deep(60, '{"a":', "}")), ["x"] * 2_000, {f"k{i}": i for i in range(500)}),
    *([float("nan")], {"choices": [["a", None], [[]], [{}]]}, {"rating": [5]}, {"taxonomy": "a"}, [None, "a", ""]),
]
SPLICES = [
    *(
        b'"',
        b"'",
        b"\n",
        b"\r",
        b"\r\n",
        b",",
        b"\t",
        b";",
        b"\0",
        b"\xff",
        b"\xc3",
        b"\\ud800",
        b"[",
        b"{",
        b"}",
        b"]",
    ),
    *(
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"9" * 5_000,
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"[" * 500,
        b'{"a":' * 500,
        b"=1+1",
        b'<c r="XFD99999">',
    ),
    *(b'""', b'"\n"', b":", b"null", b"\\", b"\\u00", b"\x1a", b"\x0c", b"\xe2\x80\xa8", b"PK\x03\x04", b"\x1f\x8b"),
]


def _damaged(rng: random.Random, content: bytes, format_: str) -> bytes:
    """Bits flipped, parts cut out, doubled, or overwritten; cut off. Of a workbook, mostly in one of its parts."""
    if content.startswith(WORKBOOK) and rng.random() < 0.8:
        with suppress(Exception), zipfile.ZipFile(io.BytesIO(content)) as archive:  # a splice may begin like one
            parts = {name: archive.read(name) for name in archive.namelist()}
            name = rng.choice([*parts, *([part for part in parts if "sheets/" in part] * 3)])
            return zipped(*({**parts, name: _damaged(rng, parts[name], format_)}).items())
    data = bytearray(content)
    for _ in range(rng.randint(1, 6)):
        place, length = rng.randint(0, len(data)), rng.choice([0, 1, 3, 40, 400])
        deed = rng.randrange(5)
        if deed == 0 and data:
            data[min(place, len(data) - 1)] ^= 1 << rng.randrange(8)
        elif deed == 1:
            data[place : place + length] = rng.choice(SPLICES)
        elif deed == 2:
            data[place:place] = data[max(0, place - length) : place]
        elif deed == 3:
            del data[place : place + length]
        elif rng.random() < 0.2:
            del data[place:]
    return bytes(data)


def _encoded(rng: random.Random, content: bytes, format_: str) -> bytes:
    """The same text as other bytes; and lines that end otherwise."""
    text = content.decode("utf-8", "replace")
    ending = rng.choice(["\n", "\n", "\r\n", "\r", "\n\n", "\u2028", "\x0b"])
    encoding = rng.choice(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp037"])
    data = text.replace("\n", ending).encode(encoding, "replace")
    start = rng.choice([b"", b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\n\n ", b"\0"])
    return start + (data[: rng.randint(0, len(data))] if rng.random() < 0.2 else data)


def _with_other_values(rng: random.Random, content: bytes, format_: str) -> bytes:
    """JSON in which values have another type or are gone, cells of a table likewise."""
    records = _records(content)
    if records is None:
        return _other_attributes(rng, content) if content.startswith(b"<") else _other_cells(rng, content)
    for _ in range(rng.randint(1, 5)):
        _change(rng, records, keys_of(format_))
    return _dumped(rng, content, records, format_)


def _made_up(rng: random.Random, content: bytes, format_: str) -> bytes:
    """Records of the right shape: the keys of the format's fixtures, values from anywhere."""
    records = _records(content)
    if records is None:
        return _other_attributes(rng, content, 40) if content.startswith(b"<") else _made_up_table(rng, content)
    first = records[0] if isinstance(records, list) and records else records
    made = [_like(rng, first, 0) for _ in range(rng.choice([1, 3, 40]))]
    return _dumped(rng, content, made if isinstance(records, list) else made[0], format_)


def _as_parquet(rng: random.Random, content: bytes, format_: str) -> bytes:
    """The records as Parquet, columns of all types; JSON's nesting becomes structs and lists."""
    records = _records(content)
    rows = records if isinstance(records, list) else [records] if records else _cells(content)[1]
    names = list(dict.fromkeys(key for row in rows if isinstance(row, dict) for key in row))[:60]
    columns: dict[str, Any] = {}
    for name in names:
        values = [row.get(name) if isinstance(row, dict) else None for row in rows]
        if rng.random() < 0.3:
            values = [rng.choice(SCALARS) for _ in values]
        columns[name or "blank"] = _series(rng, values)
    frame, packed = pl.DataFrame(columns), io.BytesIO()
    frame.write_parquet(packed)
    return packed.getvalue() if rng.random() < 0.8 else _damaged(rng, packed.getvalue(), format_)


KINDS: dict[str, Callable[[random.Random, bytes, str], bytes]] = {
    "damage": _damaged,
    "encoding": _encoded,
    "other values": _with_other_values,
    "made up": _made_up,
    "parquet": _as_parquet,
}


@cache
def keys_of(format_: str) -> tuple[str, ...]:
    """Every key and header of the format's fixtures."""
    results: dict[str, None] = {}
    for fixture in fixtures(format_):
        for _, content in plain(fixture):
            if content.startswith(WORKBOOK):
                continue
            records = _records(content)
            results |= dict.fromkeys(_keys(records) if records is not None else _cells(content)[0])
    return tuple(results)


def _keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for result in value.values() for key in _keys(result))]
    return [key for result in value for key in _keys(result)] if isinstance(value, list) else []


def _records(content: bytes) -> Any:
    """A file of JSON or JSON lines as a value; None for others."""
    try:
        return json.loads(content)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in content.split(b"\n") if line.strip()]
    except ValueError:
        return None


def _change(rng: random.Random, value: Any, keys: tuple[str, ...]) -> None:
    """Somewhere in a value: another value, none, another key, or one more."""
    while True:
        places = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not places:
            return
        place = rng.choice(places)
        inner = value[place]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.8:
            value = inner
            continue
        deed = rng.randrange(6)
        if deed == 0:
            del value[place]
        elif deed == 1 and isinstance(value, dict):
            value[rng.choice(keys)] = value.pop(place)
        elif deed == 2 and isinstance(value, list):
            value.append(inner)
        else:
            value[place] = copy.deepcopy(rng.choice(SCALARS if deed < 5 else NESTED))
        return


def _like(rng: random.Random, model: Any, level: int) -> Any:
    """A value of the shape of `model`, most of the time."""
    if rng.random() < 0.06:
        return rng.choice(SCALARS) if rng.random() < 0.7 else rng.choice(NESTED)
    if isinstance(model, dict):
        return {key: _like(rng, value, level + 1) for key, value in model.items() if rng.random() < 0.95}
    if isinstance(model, list):
        return [_like(rng, rng.choice(model), level + 1) for _ in range(rng.choice([0, 1, 2, 5]))] if model else []
    if isinstance(model, str) and rng.random() < 0.3:
        return f"{model}{rng.randint(0, 3)}"
    return rng.randint(0, 9) if isinstance(model, int) and rng.random() < 0.5 else model


def _dumped(rng: random.Random, content: bytes, value: Any, format_: str) -> bytes:
    """As JSON lines where the file was such, else as JSON; sometimes with a key twice."""
    escaped = rng.random() < 0.7
    many = value if isinstance(value, list) else [value]
    lines = content.lstrip().startswith(b"{") and b"\n{" in content
    if rng.random() < 0.1:
        lines = not lines
    text = (
        "".join(json.dumps(result, ensure_ascii=escaped) + "\n" for result in many)
        if lines
        else json.dumps(value, ensure_ascii=escaped, indent=rng.choice([None, None, 1]))
    )
    if rng.random() < 0.2:
        places = [place for place, mark in enumerate(text) if mark == "{"] or [0]
        place = rng.choice(places) + 1
        again = json.dumps(rng.choice(SCALARS[:30]))
        text = f"{text[:place]}{json.dumps(rng.choice(keys_of(format_) or ('a',)))}: {again}, {text[place:]}"
    return text.encode("utf-8", "surrogatepass")


def _cells(content: bytes) -> tuple[list[str], list[dict[str, str]]]:
    rows = list(csv.reader(io.StringIO(content.decode("utf-8", "replace")), delimiter=_delimiter(content)))
    headers = rows[0] if rows else []
    return headers, [dict(zip(headers, row, strict=False)) for row in rows[1:]]


def _delimiter(content: bytes) -> str:
    return "\t" if b"\t" in content.split(b"\n")[0] else ","


def _other_cells(rng: random.Random, content: bytes) -> bytes:
    text = io.StringIO(content.decode("utf-8", "replace"))
    rows = [row for row in csv.reader(text, delimiter=_delimiter(content)) if row]
    for _ in range(rng.randint(1, 6)):
        row = rng.choice(rows)
        place = rng.randrange(len(row)) if row else 0
        deed = rng.randrange(8)
        if deed == 0 and row:
            del row[place]
        elif deed == 1 and row:
            row.insert(place, rng.choice(row))
        elif deed == 2:
            rows.insert(rng.randrange(len(rows)), list(row))
        elif row:
            row[place] = _as_cell(rng.choice(SCALARS if deed < 7 else NESTED))
    return _written(rng, rows, _delimiter(content))


def _other_attributes(rng: random.Random, content: bytes, most: int = 4) -> bytes:
    """XML in which attributes have other values, names or none, and elements are doubled or gone."""
    text = content.decode("utf-8", "replace")
    for _ in range(rng.randint(1, most)):
        results = list(re.finditer(r' (\w+)="([^"]*)"|<[a-z]+[^>]*/>|<tag[^>]*></tag>|<box[^>]*></box>', text))
        results = [match for match in results if match.start() > text.find("?>")]
        if not results:
            break
        match = rng.choice(results)
        if match[1] is None:
            text = text[: match.start()] + match[0] * rng.choice([0, 2, 30]) + text[match.end() :]
            continue
        value = escape(_as_cell(rng.choice(SCALARS)), {'"': "&quot;"})
        if rng.random() < 0.95:  # what no XML may hold would refuse nearly every file
            value = re.sub("[^\\t\\n\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]", "", value)
        new = rng.choice([f' {match[1]}="{value}"', f' {match[1]}="{value}"', "", f' x{match[1]}="{match[2]}"'])
        text = text[: match.start()] + new + text[match.end() :]
    return text.encode("utf-8", "surrogatepass")


def _made_up_table(rng: random.Random, content: bytes) -> bytes:
    """The header of a table, and rows of its cells and others, some shuffled or too wide."""
    headers, records = _cells(content)
    if rng.random() < 0.1:
        headers = [*headers, rng.choice(headers)]
    if rng.random() < 0.1:
        headers = [*headers, *(f"extra {n}" for n in range(rng.choice([1, 50, 2_000])))]
    rows = []
    for _ in range(rng.choice([1, 5, 600])):
        row = [rng.choice(records).get(header, "") for header in headers]
        if rng.random() < 0.2:
            row[rng.randrange(len(row))] = _as_cell(rng.choice(SCALARS[:-10]))
        rows.append(row)
    return _written(rng, [headers, *rows], rng.choice([_delimiter(content), ";", "|"]))


def _as_cell(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value) if value is not None else ""


def _written(rng: random.Random, rows: list[list[str]], delimiter: str) -> bytes:
    text = io.StringIO()
    quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    ending = rng.choice(["\n", "\r\n"])
    csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=ending).writerows(rows)
    whole = text.getvalue()
    if rng.random() < 0.2:  # a quote somewhere that does not close
        place = rng.randint(0, len(whole))
        whole = f'{whole[:place]}"{whole[place:]}'
    return whole.encode("utf-8", "surrogatepass" if rng.random() < 0.5 else "replace")


def _series(rng: random.Random, values: list[Any]) -> pl.Series:
    """The values as a column of some type that holds them."""
    kinds = [None, pl.String, pl.Categorical, pl.Binary, pl.Float64, pl.Int64, pl.Datetime("us", "UTC"), pl.Date]
    kinds += [pl.Boolean, pl.Decimal(18, 4), pl.Duration, pl.Time, pl.UInt8]
    kind = rng.choice(kinds) if rng.random() < 0.4 else None
    try:
        series = pl.Series([value if not isinstance(value, str) else _clean(value) for value in values], strict=False)
        series = series.cast(kind, strict=False) if kind is not None else series
        pl.DataFrame([series]).write_parquet(io.BytesIO())
        if len(series) == len(values):
            return series
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        pass
    return pl.Series([_clean(_as_cell(value)) for value in values], dtype=pl.String)


def _clean(value: str) -> str:
    return value.encode("utf-8", "replace").decode()


def _packed(rng: random.Random, file: str, data: bytes) -> tuple[str, bytes]:
    """In an archive, whole or damaged, under a name that leads elsewhere, twice, or in another archive."""
    how = rng.randrange(6)
    if how == 0:
        return f"{file}.gz", gzip.compress(data, 1, mtime=0)
    if how == 1:
        return f"{file}.zst", pyarrow.compress(data, codec="zstd", asbytes=True) if data else b"\x28\xb5\x2f\xfd"
    name = rng.choice([file, file, f"a/b/{file}", f"../{file}", f"/{file}", f"C:{file}", f"..\\{file}", "\0", "x" * 99])
    archive = zipped((name, data), *([(file, data)] if how == 3 else []))
    if how == 4:
        return f"{file}.zip", _damaged(rng, archive, "")
    return f"{file}.zip", archive if how != 5 else zipped((f"{file}.zip", archive))


def zipped(*members: tuple[str, bytes]) -> bytes:
    """A zip archive of files; names as they are, also twice the same."""
    packed = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(packed, "w") as archive:
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 1)
    return packed.getvalue()


def _options(rng: random.Random, format_: str) -> ReadOptions:
    """Mostly none; else a format, which may be wrong, a mapping, which may lead nowhere, or names."""
    if rng.random() < 0.6:
        return ReadOptions()
    keys = keys_of(format_) or ("a",)
    roles = rng.sample(sorted({*MAPPABLE, *ROLES} if format_.startswith(PREFERENCES) else MAPPABLE), rng.randint(0, 4))
    name = format_.rpartition(":")[2]
    return ReadOptions(
        format=rng.choice([None, None, name, name, rng.choice([*FORMATS])]),
        columns={role: rng.choice([*keys, "nothing", "", "|", "|".join(rng.choices(keys, k=2))]) for role in roles},
        header=rng.random() < 0.8,
        question=rng.choice([None, None, "q", "=1+1"]),
        prefix=rng.choice([None, None, "p/q"]),
        systems=frozenset(rng.sample(["w1", "2", "gpt", ""], rng.randint(0, 2))),
        gold=frozenset(rng.sample(["w1", "target", "lead"], rng.randint(0, 2))),
    )
