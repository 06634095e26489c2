"""The tokenizer of the XML5 draft (§1.3)."""

from xml5tree.dialects.xml5.states import data_state
from xml5tree.dialects.xml5.tokenizer import Tokenizer, TokenSink
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings

__all__ = ["TokenSink", "Tokenizer", "make_tokenizer"]


def make_tokenizer(sink: TokenSink, reporter: Reporter, settings: Settings) -> Tokenizer:
    """A tokenizer in the data state (§1.3: "The state machine must start in the data state")."""
    return Tokenizer(sink, reporter, settings, data_state)
