"""Tool calls of language models, exactly as written."""

from xml5tree.tools.calls import Call, Event, Output
from xml5tree.tools.deltas import adeltas, deltas
from xml5tree.tools.formats import FORMATS, Format
from xml5tree.tools.reader import CallReader, read
from xml5tree.tools.schemas import Tools

__all__ = ["FORMATS", "Call", "CallReader", "Event", "Format", "Output", "Tools", "adeltas", "deltas", "read"]
