"""The examples of the explanations, carried out."""

from xml5tree.errors.explanations import Explanation
from xml5tree.errors.log import ErrorLog, ParseError
from xml5tree.parser import Repairer, XMLParser

__all__ = ["carry_out"]


def carry_out(explanation: Explanation) -> tuple[str | bytes | None, ErrorLog]:
    """The repaired markup of an explanation's document, None where it has none, and its errors."""
    document, options = explanation.document, explanation.options
    try:
        if not options.get("recover", True):
            parser = XMLParser(**options)
            parser.parse_whole(document)
            return document, parser.error_log
        repairer = Repairer(**options)
        if isinstance(document, bytes):
            return repairer.feed(document) + bytes(repairer.close()), repairer.error_log  # type: ignore[arg-type]
        return repairer.feed(document) + str(repairer.close()), repairer.error_log
    except ParseError as error:
        return None, error.errors
