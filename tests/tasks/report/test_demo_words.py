"""The report of the demo: the text of a question is short before what one opens."""

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

MAX_WORDS = 200


class QuestionTexts(HTMLParser):
    """The words of each question but those of charts, of cells of tables, and of what one opens."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.words: list[list[str]] = []
        self._in_body = self._hidden = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "div":
            if ("class", "body") in attrs:
                self.words.append([])
                self._in_body = 1
            elif self._in_body:
                self._in_body += 1
        self._hidden += tag in ("table", "svg", "details", "style")

    def handle_endtag(self, tag: str) -> None:
        self._in_body -= tag == "div" and self._in_body > 0
        # The outermost one is the question itself, in which its body lies.
        self._hidden -= tag in ("table", "svg", "details", "style")

    def handle_data(self, data: str) -> None:
        if self._in_body and self._hidden == 1:
            self.words[-1] += data.split()


def test_each_question_has_at_most_200_words(demo_project: Path) -> None:
    texts = QuestionTexts((demo_project / "report.html").read_text(encoding="utf-8")).words
    assert len(texts) == 6
    assert all("Annotators beside the others" in " ".join(words) for words in texts)
    assert {len(words) for words in texts if len(words) > MAX_WORDS} == set()
    assert min(len(words) for words in texts) > 30
