"""What a run has to tell: its files, questions, notes, messages and publications."""

from dataclasses import dataclass

from tasks.ingest.file_result import FileResult
from tasks.notify.delivery import Delivery
from tasks.publish.publish_targets import Publication
from tasks.question_result import QuestionResult


@dataclass(frozen=True)
class RunResult:
    """The results of one run for each file, each question, each message that was to be sent, and each target.

    `notes` are sentences about the settings and the messages.
    """

    files: tuple[FileResult, ...] = ()
    questions: tuple[QuestionResult, ...] = ()
    notes: tuple[str, ...] = ()
    deliveries: tuple[Delivery, ...] = ()
    publications: tuple[Publication, ...] = ()

    @property
    def question_names(self) -> frozenset[str]:
        """Return the names of the questions that the run evaluated or monitored."""
        return frozenset(question.question for question in self.questions)

    @property
    def file_names(self) -> tuple[str, ...]:
        """Return the names of the files that came in."""
        return tuple(file.file_name for file in self.files)

    @property
    def failed_questions(self) -> tuple[QuestionResult, ...]:
        """Return the questions that could not be evaluated, each once: evaluation and monitoring say the same."""
        failed = {(question.question, question.error): question for question in self.questions if question.error}
        return tuple(failed.values())

    @property
    def failed_files(self) -> tuple[FileResult, ...]:
        """Return the files that could not be read this time, and the sources that did not answer."""
        return tuple(file for file in self.files if file.status == "failed")

    @property
    def failure(self) -> str | None:
        """Return why the run counts as failed, or None if it succeeded."""
        files = [f"{file.file_name}: {file.detail}" for file in self.failed_files]
        questions = [f"{question.question}: {question.error}" for question in self.failed_questions]
        return "; ".join(files + questions) or None


class RunFailedError(Exception):
    """The run ended, but it could not evaluate a question, read a file or reach a source."""

    def __init__(self, result: RunResult) -> None:
        super().__init__(result.failure)
        self.result = result
