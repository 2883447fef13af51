"""Clean the SVG of charts that vl_convert draws, and draw small graphics for the cells of tables.

None of them has a style attribute, so that the page's policy can forbid inline styles and all scripts. Colours are the
page's CSS variables, so one drawing serves light, dark and print.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from markupsafe import Markup

from tasks.report.formatting import number, shortened
from tasks.summary.finite import finite

_SVG = "{http://www.w3.org/2000/svg}"
_DROPPED = ("aria-roledescription", "role", "class", "pointer-events", "font-family", "style", "aria-hidden", "width")
_DEFAULTS = {
    "opacity": "1", "stroke-width": "1", "stroke-miterlimit": "10", "y2": "0", "x2": "0", "transform": "translate(0,0)",
}  # fmt: skip
_INHERITED = ("fill", "stroke", "stroke-width", "stroke-opacity", "font-size", "text-anchor")
_CIRCLE = re.compile(r"M([\d.]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0")
_PLACE = re.compile(r"translate\(([-\d.]+),([-\d.]+)\)")
_WIDTH, _HEIGHT = 160, 14
_SPARK = 132


def cleaned(svg: str, label: str, links: Mapping[str, str] | None = None) -> Markup:
    """Prepare a chart's SVG for the page: sized by CSS, tooltips as <title>, read aloud as `label`.

    The SVG is parsed and written again, so that data always ends as text and never as markup. `links`: tooltip -> the
    address that its element leads to.
    """
    root = ElementTree.fromstring(svg)
    view = root.get("viewBox", "0 0 1 1")
    root.attrib.clear()
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)  # HTML needs no namespace
        _clean_element(element)
    _simplify(root)
    if links:
        _link(root, links)
    role = "group" if links else "img"  # what is in a picture cannot be reached by keyboard
    root.attrib.update({"class": "chart", "viewBox": view, "role": role, "aria-label": label})
    return Markup(ElementTree.tostring(root, encoding="unicode").replace(" />", "/>"))  # a ">" of a text is escaped


def whisker(value: float | None, low: float | None, high: float | None, *, start: float = 0.0) -> Markup:
    """Draw a dot with its interval on an axis from `start` to 1. An undefined value draws nothing."""
    value, low, high = finite(value), finite(low), finite(high)
    if value is None:
        return Markup()
    bar = Markup()
    if low is not None and high is not None:
        bar = Markup('<path d="M{} 7H{}"/>').format(_place(low, start), _place(high, start))
    return Markup(
        '<svg class="whisker" viewBox="0 0 {} {}" aria-hidden="true">{}<circle cx="{}" cy="7" r="2.6"/></svg>'
    ).format(_WIDTH, _HEIGHT, bar, _place(value, start))


def sparkline(values: Sequence[float | None]) -> Markup:
    """Draw values over time without axes. Undefined points are gaps. With fewer than two defined values it is empty."""
    defined = [value for value in values if value is not None]
    if len(defined) < 2:
        return Markup()
    low, span = min(defined), max(max(defined) - min(defined), 0.1)
    step = (_SPARK - 8) / (len(values) - 1)
    xs = [4 + place * step for place in range(len(values))]
    points = [
        None if v is None else f"{x:.1f} {20 - 16 * (v - low) / span:.1f}" for x, v in zip(xs, values, strict=True)
    ]
    before = [None, *points[:-1]]
    path = "".join(
        f"{'L' if previous else 'M'}{point}" for previous, point in zip(before, points, strict=True) if point
    )
    last = next(point for point in reversed(points) if point)
    label = f"from {number(defined[0])} to {number(defined[-1])}"
    return Markup(
        '<svg class="spark" viewBox="0 0 {} 24" role="img" aria-label="{}"><path d="{}"/>'
        '<circle cx="{}" cy="{}" r="2.5"/></svg>'
    ).format(_SPARK, label, path, *last.split())


def _clean_element(element: ElementTree.Element) -> None:
    title = element.attrib.pop("aria-label", "")
    if element.get("aria-roledescription") == "title":
        title = ""  # the name of a panel is text already
    for name in _DROPPED:
        if name != "width" or element.tag != "rect":
            element.attrib.pop(name, None)
    for name, value in list(element.attrib.items()):
        if _DEFAULTS.get(name) == value:
            del element.attrib[name]
        elif name in ("transform", "d", "x2", "y2"):
            element.set(name, re.sub(r"-?\d+\.\d{2,}", _rounded, value))
    if circle := _CIRCLE.fullmatch(element.get("d", "")):
        element.tag = "circle"
        place = _PLACE.fullmatch(element.attrib.pop("transform", "translate(0,0)"))
        cx, cy = place.groups() if place else ("0", "0")
        element.attrib.update({"cx": cx, "cy": cy, "r": circle[1]})
        del element.attrib["d"]
    if title:
        child = ElementTree.Element("title")
        child.text = shortened(title, 300)
        element.insert(0, child)


def _link(root: ElementTree.Element, links: Mapping[str, str]) -> None:
    """Put each element with a tooltip of `links` into a link.

    If two elements have the same tooltip, neither becomes a link.
    """
    texts = Counter(title.text for title in root.iter("title"))
    for parent in list(root.iter()):
        for place, child in enumerate(list(parent)):
            title = child.find("title")
            tip = (title.text if title is not None else None) or ""
            if tip in links and texts[tip] == 1:
                link = ElementTree.Element("a", {"href": links[tip], "aria-label": tip})
                link.append(child)
                parent[place] = link


def _simplify(parent: ElementTree.Element) -> None:
    """Drop elements that draw nothing, unwrap groups without attributes, and move shared attributes to the group."""
    children: list[ElementTree.Element] = []
    for child in parent:
        _simplify(child)
        if child.tag == "g" and not child.attrib:
            children.extend(child)
        elif not _draws_nothing(child):
            children.append(child)
    parent[:] = children
    if parent.tag != "g" or len(children) < 2:
        return
    for name in _INHERITED:
        values = {child.get(name) for child in children}
        if len(values) == 1 and None not in values:
            parent.set(name, values.pop() or "")
            for child in children:
                del child.attrib[name]


def _draws_nothing(element: ElementTree.Element) -> bool:
    empty = element.tag == "g" and not len(element)
    path = element.get("d", "") if element.tag == "path" else "-"
    unpainted = element.tag == "path" and not set(element.keys()) - {"d", "transform"}
    return empty or unpainted or path in ("", "M0,0h0v0h0Z") or element.get("display") == "none"


def _rounded(match: re.Match[str]) -> str:
    return f"{round(float(match[0]), 1):g}"


def _place(value: float, start: float) -> str:
    share = (min(max(value, start), 1.0) - start) / (1.0 - start)
    return f"{4 + (_WIDTH - 8) * share:.1f}"
