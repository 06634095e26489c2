"""Who imports whom: downwards only, and lxml only where it is asked for."""

import ast
import functools
import subprocess
import sys
from pathlib import Path

import pytest
from support.cases import each_case, one_in

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


@functools.cache
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


def imports():
    """What each module imports, as `imports_of` has it."""
    return {module: imports_of(module) for module in PATHS}


@functools.cache
def graph_of_modules():
    """The modules of the package that each of them imports."""
    return {module: {name for name in names if name in PATHS} - {module} for module, names in imports().items()}


@functools.cache
def named_in(module):
    """The modules of the package whose names a module has in strings, as it may do to import them by name."""
    nodes = ast.walk(ast.parse(PATHS[module].read_text("utf-8")))
    constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return {value for value in constants if isinstance(value, str) and value in PATHS} - {"xml5tree"}


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
    importers = {
        module for module, names in imports().items() if any(name.partition(".")[0] == "lxml" for name in names)
    }
    assert {module for module in importers if not module.startswith("xml5tree.lxml")} == {"xml5tree.backends.lxml"}


def test_no_cycles():
    graph = graph_of_modules()
    assert [module for module in graph if module in reachable(graph, module)] == []


FOLDERS = sorted(module for module, path in PATHS.items() if path.name == "__init__.py" and module != "xml5tree")


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_cycles_between_what_is_in_a_folder(folder):
    """A folder inside counts as one: its modules do not import what imports them, by way of any module beside it."""
    inside = [module for module in PATHS if module.startswith(f"{folder}.")]
    name_of = {module: module.removeprefix(f"{folder}.").partition(".")[0] for module in inside}
    graph = {name: set() for name in name_of.values()}
    for module in inside:
        graph[name_of[module]] |= {name_of[other] for other in graph_of_modules()[module] if other in name_of}
        graph[name_of[module]].discard(name_of[module])
    assert [name for name in graph if name in reachable(graph, name)] == []


#: From the bottom to the top: modules, and packages with all that is in them. A module imports from its own package and
#: from those of lower ranks only.
LAYERS = [
    ["accelerator", "progress", "tokens", "typing", "unpacking", "xml"],
    ["errors"],
    ["documents"],
    ["editing", "remote"],
    ["sources"],
    ["drive", "lifecycle"],
    ["input"],
    ["suggestions"],
    ["options"],
    ["intent", "machine", "output", "dtd"],
    ["tree"],
    ["backends"],
    ["vocabularies"],
    ["dialects"],
    ["wellformed"],
    ["parser"],
    ["streaming"],
    ["nesting"],
    ["fieldpaths", "record"],
    ["columns", "rows", "tools"],
    ["arrow", "surroundings", "windows"],
    ["recordreader"],
    ["records"],
    ["api"],
    ["ElementTree", "lxml", "sax"],
    ["containers", "ranges"],
    ["tables"],
    ["doctor", "integrations", "shrinking", "spark"],
    ["cli"],
    ["__main__"],
]
RANKS = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def place(module):
    """The module or package below the top that a module is in, or is."""
    return module.split(".")[1]


MODULES = [module for module in PATHS if module != "xml5tree"]


def test_every_module_has_a_rank():
    assert {place(module) for module in MODULES} == RANKS.keys()


@each_case("module", MODULES)
def test_imports_go_downwards(module):
    own = place(module)
    names = graph_of_modules()[module] | named_in(module)
    imported = {other for other in names if other == "xml5tree" or place(other) != own}
    upwards = {other for other in imported if other != "xml5tree" and RANKS[place(other)] >= RANKS[own]}
    assert upwards == set()
    # Only the top layers may import the package as a whole.
    assert "xml5tree" not in imported or RANKS[own] > RANKS["api"]


def test_import_leaves_alone_what_is_heavy():
    """What takes long to import and is not always needed."""
    code = """if True:
        import sys
        import xml5tree
        heavy = {"dataclasses", "inspect", "lxml", "xml5tree.tokens", "xml5tree.dialects.xml5.pipeline"}
        assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
        xml5tree.fromstring("<a/>")
        assert "xml5tree.dialects.xml5.pipeline" not in sys.modules
        xml5tree.fromstring("<a>")
        assert "xml5tree.dialects.xml5.pipeline" in sys.modules
        list(xml5tree.tokenize("<a>"))
        assert heavy - sys.modules.keys() == {"lxml"}
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_import_leaves_alone_what_only_some_documents_need():
    """The names are there at once; what is imported later is what they are made of."""
    code = """if True:
        import sys
        import xml5tree
        later = {"threading", "xml5tree.input", "xml5tree.output", "xml5tree.vocabularies", "xml5tree.xml.vocabulary"}
        later |= {"xml5tree.xml.chars", "xml5tree.errors.hints", "xml5tree.errors.reporter"}
        later |= {"xml5tree.backends.noted_events"}
        assert not later & sys.modules.keys(), later & sys.modules.keys()
        assert [name for name in xml5tree.__all__ if not hasattr(xml5tree, name)] == []
        assert not later & sys.modules.keys(), later & sys.modules.keys()
        list(xml5tree.records("<a><b/></a>".split(), "b"))
        assert {"xml5tree.input", "xml5tree.output"} <= sys.modules.keys()
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_import_leaves_the_command_line_alone():
    code = """if True:
        import sys
        import xml5tree, xml5tree.ElementTree, xml5tree.sax
        assert not [name for name in sys.modules if name.startswith(("xml5tree.cli", "xml5tree.errors.expl", "click"))]
    """
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_who_imports_click():
    """Only the command line needs the packages of its extra."""
    importers = {
        module for module, names in imports().items() if any(name.partition(".")[0] == "click" for name in names)
    }
    assert importers
    assert all(module.startswith("xml5tree.cli.") for module in importers)
    assert "xml5tree.errors.explanations" not in importers


def test_who_imports_pyarrow():
    """One package and Spark's need the extra ``arrow``; tables are made by it, and it is asked for URLs."""
    importers = {
        module for module, names in imports().items() if any(name.partition(".")[0] == "pyarrow" for name in names)
    }
    own = {module for module in importers if place(module) != "spark"}
    assert {name for name in own if not name.startswith("xml5tree.arrow.")} == {
        "xml5tree.remote",
        "xml5tree.tables",
    }


def test_who_imports_pyspark():
    """Only what needs the extra ``spark``."""
    importers = {module for module, names in imports().items() if any(name.startswith("pyspark") for name in names)}
    assert {place(module) for module in importers} == {"spark"}


NAMES = ("check", "repair", "apply", "xpath", "records", "tree", "tokens", "report", "doctor")
COMMANDS = {f"xml5tree.cli.{name}" for name in NAMES}


def test_commands_do_not_import_each_other():
    """What two commands need is in a module of its own."""
    assert {module for module, names in imports().items() if names & COMMANDS} == set()
    users = {module: named_in(module) & COMMANDS for module in PATHS}
    assert {module: found for module, found in users.items() if found} == {"xml5tree.cli.application": COMMANDS}


def modules_after(arguments, tmp_path):
    """The modules that are imported once the command line has been run."""
    (tmp_path / "broken.xml").write_text("<a>", "utf-8")
    code = """if True:
        import sys
        from xml5tree.cli.application import run
        run(sys.argv[1:])
        print(*sys.modules, sep="\\n", file=sys.stderr)
    """
    command = [sys.executable, "-W", "error", "-c", code, *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    return set(done.stderr.splitlines())


@pytest.mark.parametrize(
    "name", one_in(3, sorted(module.rpartition(".")[2] for module in COMMANDS - {"xml5tree.cli.records"}))
)
def test_command_is_imported_alone(name, tmp_path):
    arguments = {"xpath": [name, "broken.xml", "//a"], "doctor": [name]}.get(name, [name, "broken.xml"])
    assert modules_after(arguments, tmp_path) & COMMANDS == {f"xml5tree.cli.{name}"}


def test_check_leaves_alone_what_is_heavy(tmp_path):
    """What takes long to import, and is for other commands or for several processes."""
    modules = modules_after(["check", "broken.xml"], tmp_path)
    assert not {"hashlib", "http.client", "lxml", "multiprocessing", "pyarrow", "xml.sax", "xml5tree.sax"} & modules


def test_help_imports_every_command(tmp_path):
    """What the help and the suggestion for a misspelled command say of each is said by its module."""
    assert modules_after(["--help"], tmp_path) >= COMMANDS
    assert modules_after(["chek"], tmp_path) >= COMMANDS


def test_who_imports_fsspec():
    """Only what opens URLs."""
    importers = {module for module, names in imports().items() if any(name.startswith("fsspec") for name in names)}
    assert importers == {"xml5tree.remote"}
