"""Runs the examples of explanations."""

import io
import xml.etree.ElementTree as ET
from typing import cast

from xml5tree.dialects import find_dialect
from xml5tree.documents import Parts
from xml5tree.drive import drive
from xml5tree.errors.explanations import Explanation
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.options import Options, when_pulled
from xml5tree.parser import Repairer, XMLParser

__all__ = ["carry_out"]


def carry_out(explanation: Explanation) -> tuple[str | bytes | None, ErrorLog]:
    """Return the repaired markup of an explanation's document, None where it has none, and its errors.

    In a dialect without a repair, and for an error of trees alone, it is the tree's.
    """
    document, options = explanation.document, when_pulled(cast(Options, explanation.options))
    if explanation.is_long:
        assert isinstance(document, str)
        document = document.replace("…", "x" * 10_000_000)
    try:
        if explanation.of_tree or not find_dialect(options.get("dialect", "xml5")).is_streamed:
            parser = XMLParser(**options)
            return ET.tostring(parser.parse_whole(document), encoding="unicode"), parser.error_log
        if options["recovery"] == "strict":
            parser = XMLParser(**options)
            parser.parse_whole(document)
            return document, parser.error_log
        repairer = Repairer(**options)
        if isinstance(document, bytes):  # they may be compressed
            parts = Parts(io.BytesIO(document))
            return b"".join(drive(repairer, parts, lambda: parts.damage)), repairer.error_log  # type: ignore[arg-type]
        return repairer.repair_whole(document), repairer.error_log
    except ParseError as error:
        return None, error.errors
