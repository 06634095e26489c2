"""The stages that have a policy, made."""

from collections.abc import Callable

import xml5tree.dialects.xml5.intent as intent
from xml5tree.dialects.xml5.intent.policy import Intent
from xml5tree.dialects.xml5.intent.states import REPLACED
from xml5tree.dialects.xml5.intent.tokenizer import IntentTokenizer
from xml5tree.dialects.xml5.intent.tree import IntentTreeBuilder
from xml5tree.dialects.xml5.states import data_state
from xml5tree.errors.reporter import Reporter
from xml5tree.options import Settings
from xml5tree.output.markup import Emitter
from xml5tree.xml.limits import Limits

__all__ = ["make_stages"]


def make_stages(
    emitter: Emitter, reporter: Reporter, limits: Limits, settings: Settings, is_standalone: Callable[[], bool]
) -> tuple[IntentTreeBuilder, IntentTokenizer]:
    """Tree construction and the tokenizer for one document, with a policy."""
    builder = IntentTreeBuilder(emitter, reporter, limits, settings, Intent(intent.disabled))
    tokenizer = IntentTokenizer(builder, reporter, settings, data_state, REPLACED, is_standalone=is_standalone)
    return builder, tokenizer
