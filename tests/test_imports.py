"""Who imports whom: downwards only, and lxml only where it is asked for."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import xml5tree

PACKAGE = Path(xml5tree.__file__).parent


def module_name(path):
    parts = ["xml5tree", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported_names(node, package):
    """Yield what an import statement imports: modules, and names that may be modules."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        module = ".".join([*parents, *([node.module] if node.module else [])])
        yield module
        yield from (f"{module}.{alias.name}" for alias in node.names)


def imports_of(module):
    """Names that a module imports at run time, at its top or in its functions."""
    path = PATHS[module]
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    found = set()

    def visit(node):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.orelse:
                visit(child)
            return
        found.update(imported_names(node, package))
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text("utf-8")))
    return found


IMPORTS = {module: imports_of(module) for module in PATHS}


def graph_of_modules():
    """The modules of the package that each of them imports."""
    return {module: {name for name in names if name in PATHS} - {module} for module, names in IMPORTS.items()}


def reachable(graph, start):
    found, stack = set(), [start]
    while stack:
        for module in graph[stack.pop()] - found:
            found.add(module)
            stack.append(module)
    return found


def test_import_leaves_lxml_alone():
    code = """if True:
        import sys
        import xml5tree
        xml5tree.fromstring("<a>")
        xml5tree.repair("<a>")
        assert not [name for name in sys.modules if name.partition(".")[0] == "lxml"]
        xml5tree.fromstring("<a>", backend="lxml")
        assert "lxml.etree" in sys.modules
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_who_imports_lxml():
    importers = {module for module, names in IMPORTS.items() if any(name.partition(".")[0] == "lxml" for name in names)}
    assert {module for module in importers if not module.startswith("xml5tree.lxml")} == {"xml5tree.backends.lxml"}


def test_no_cycles():
    graph = graph_of_modules()
    assert [module for module in graph if module in reachable(graph, module)] == []


# From the bottom to the top; a module that is not named only has to keep out of cycles.
LAYERS = [
    ["tokens", "errors", "chars"],
    ["infoset"],
    ["markup", "namespaces"],
    ["decoding", "inputstream", "tokenizer", "treebuilder", "backends"],
    ["pipeline"],
    ["parser"],
    ["api"],
    ["ElementTree", "lxml", "sax"],
    ["cli"],
    ["__main__"],
]
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def rank(module):
    """The layer of a module, which is that of its package below the top; None: it is in none."""
    parts = module.split(".")
    return RANKS.get(parts[1]) if len(parts) > 1 else None


@pytest.mark.parametrize("module", [module for module in PATHS if rank(module) is not None])
def test_imports_go_downwards(module):
    graph = graph_of_modules()
    graph["xml5tree"] = set()  # only the top layer may import the package as a whole
    found = reachable(graph, module)
    assert {other for other in found if (rank(other) or 0) > rank(module)} == set()
    assert "xml5tree" not in found or rank(module) > RANKS["api"]


def test_import_leaves_alone_what_is_heavy():
    """What takes long to import and is not always needed."""
    code = """if True:
        import sys
        import xml5tree
        heavy = {"dataclasses", "inspect", "lxml", "xml5tree.pipeline", "xml5tree.tokenizer", "xml5tree.tokens"}
        assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
        xml5tree.fromstring("<a/>")
        assert "xml5tree.pipeline" not in sys.modules
        xml5tree.fromstring("<a>")
        assert "xml5tree.pipeline" in sys.modules
        list(xml5tree.tokenize("<a>"))
        assert heavy - sys.modules.keys() == {"lxml"}
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_import_leaves_the_command_line_alone():
    code = """if True:
        import sys
        import xml5tree, xml5tree.ElementTree, xml5tree.sax
        assert not [name for name in sys.modules if name.startswith(("xml5tree.cli", "click"))]
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_who_imports_click():
    """Only the command line needs the packages of its extra."""
    importers = {
        module for module, names in IMPORTS.items() if any(name.partition(".")[0] == "click" for name in names)
    }
    assert importers
    assert all(module.startswith("xml5tree.cli.") for module in importers)
    assert "xml5tree.cli.explanations" not in importers


def test_commands_do_not_import_each_other():
    """What two commands need is in a module of its own."""
    graph = graph_of_modules()
    commands = {f"xml5tree.cli.{name}" for name in ("check", "repair", "xpath", "tree", "tokens", "report")}
    users = {module: found & commands for module, found in graph.items() if found & commands}
    assert users == {"xml5tree.cli.application": commands}
