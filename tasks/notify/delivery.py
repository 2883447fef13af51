"""What became of a digest of messages."""

from dataclasses import dataclass

from tasks.counted_words import counted


@dataclass(frozen=True)
class Delivery:
    """What became of a digest.

    - channel: name of the environment variable with its address
    - status: sent; failed; paused (it failed several times, and is tried again later); unset (the variable is not
      set); busy (another run sends)
    - n_messages: messages in the digest, or that wait. error: what the channel answered; None if it was sent.
    """

    channel: str
    status: str
    n_messages: int
    error: str | None = None

    @property
    def note(self) -> str:
        """Return a sentence for the notes of the run."""
        waiting = _waiting(self.n_messages)
        if self.status == "sent":
            about = "" if self.n_messages == 1 else f", which tells of {self.n_messages} alerts"
            return f"1 message sent to {self.channel}{about}."
        if self.status == "unset":
            return f"Nothing can be sent to {self.channel}: this environment variable is not set.{waiting}"
        if self.status == "paused":
            return f"Nothing was sent to {self.channel}: it failed several times, and is tried again later.{waiting}"
        if self.status == "busy":
            return f"Nothing was sent to {self.channel}: another run is sending.{waiting}"
        return f"1 message could not be sent to {self.channel}: {self.error}.{waiting}"

    def to_json(self) -> dict[str, object]:
        """Return the delivery as JSON types."""
        return {
            "channel": self.channel, "status": self.status, "n_messages": self.n_messages, "error": self.error
        }  # fmt: skip


def _waiting(n_messages: int) -> str:
    if not n_messages:
        return ""
    return f" {counted(n_messages, 'alert waits', 'alerts wait')} for a later run."
