"""Small Excel workbooks, put together by hand: nothing in the environment writes them."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from xml.sax.saxutils import escape

Cell = str | float | bool | date | timedelta | None
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
STYLES = (
    f'<styleSheet xmlns="{MAIN}"><numFmts count="1"><numFmt numFmtId="170" formatCode="[h]:mm:ss"/></numFmts>'
    '<fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14"/>'
    '<xf numFmtId="22"/><xf numFmtId="170"/></cellXfs></styleSheet>'
)


HIDDEN = ' state="hidden"'


def workbook(
    sheets: Mapping[str, Sequence[Sequence[Cell]]], *, merged: str = "", hidden: str = "", more: Mapping[str, str] = {}
) -> bytes:
    """An .xlsx with these sheets; None is no cell at all, `=1+1|2` a formula with its value, `#N/A` an error."""
    names = [*sheets]
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{SHEET}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{SHEET}.styles+xml"/>'
        + "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{SHEET}.worksheet+xml"/>'
            for n in range(len(names))
        )
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r" '
        f'Type="{REL}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{REL}"><sheets>'
        + "".join(
            f'<sheet name="{escape(s)}" sheetId="{n + 1}" r:id="r{n}"{HIDDEN if s == hidden else ""}/>'
            for n, s in enumerate(names)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="r{n}" Type="{REL}/worksheet" Target="worksheets/sheet{n}.xml"/>'
            for n in range(len(names))
        )
        + f'<Relationship Id="s" Type="{REL}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": STYLES,
    }
    for n, rows in enumerate(sheets.values()):
        merges = f'<mergeCells count="1"><mergeCell ref="{merged}"/></mergeCells>' if merged else ""
        parts[f"xl/worksheets/sheet{n}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{_rows(rows)}</sheetData>{merges}</worksheet>'
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**parts, **more}.items():
            archive.writestr(zipfile.ZipInfo(name), f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return packed.getvalue()


def _rows(rows: Sequence[Sequence[Cell]]) -> str:
    numbered = ((n, row) for n, row in enumerate(rows, start=1) if row)
    return "".join(
        f'<row r="{n}">' + "".join(_cell(f"{chr(65 + i)}{n}", value) for i, value in enumerate(row)) + "</row>"
        for n, row in numbered
    )


def _cell(place: str, value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, datetime):
        days = (value - datetime(1899, 12, 30)) / timedelta(days=1)
        return f'<c r="{place}" s="2"><v>{days!r}</v></c>'
    if isinstance(value, date):
        return f'<c r="{place}" s="1"><v>{(value - date(1899, 12, 30)).days}</v></c>'
    if isinstance(value, timedelta):
        return f'<c r="{place}" s="3"><v>{value / timedelta(days=1)!r}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    if value.startswith("#"):
        return f'<c r="{place}" t="e"><v>{value}</v></c>'
    if value.startswith("=") and "|" in value:
        formula, _, result = value[1:].partition("|")
        return f'<c r="{place}" t="str"><f>{escape(formula)}</f><v>{escape(result)}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
