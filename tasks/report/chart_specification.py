"""Complete the specification of a chart with the page's style, and draw it as static SVG."""

from collections.abc import Mapping
from typing import Any

import altair as alt
import vl_convert
from markupsafe import Markup

from tasks.report.svg import cleaned

WIDTH = 460  # user units: the page scales a chart to its column, about 1:1 on a desk and 0.8:1 on a phone
TICKS = 5
AXIS_WIDTH = 34  # at least, for the figures beside the upright axis: charts above each other then line up


def configured(chart: alt.LayerChart | alt.FacetChart, *, height: Any) -> dict[str, Any]:
    """Return the specification of a chart as wide as WIDTH, its axes included, in the page's style."""
    sized = chart.properties(width=WIDTH, height=height, autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
    return styled(sized)


def styled(chart: alt.LayerChart | alt.FacetChart) -> dict[str, Any]:
    """Return the specification of a chart in the page's style."""
    axis = alt.AxisConfig(
        labelColor="var(--muted)",
        labelFontSize=12,
        labelPadding=6,
        gridColor="var(--line)",
        titleColor="var(--muted)",
        titleFontSize=11,
        titleFontWeight="normal",
        titlePadding=8,
        domain=False,
        ticks=False,
        aria=False,
    )
    spec: dict[str, Any] = (
        chart.properties(padding=2)
        .configure(background="transparent", font="Helvetica, Arial, sans-serif", axis=axis)
        .configure_view(stroke=None)
        .to_dict()
    )
    return spec


def draw(
    spec: Mapping[str, Any],
    rows: Mapping[str, Any],
    parameters: Mapping[str, Any],
    label: str,
    links: Mapping[str, str] | None = None,
) -> Markup:
    """Draw a specification with these rows and parameters. `label` is read aloud; `links` are those of `cleaned`."""
    params = [{"name": name, "value": value} for name, value in parameters.items()]
    filled = {**spec, "datasets": dict(rows), "params": [*spec.get("params", []), *params]}
    return cleaned(vl_convert.vegalite_to_svg(filled, allowed_base_urls=[]), label, links)
