"""What the package offers: the names, their documentation, their types."""

import builtins
import inspect
import pkgutil
import subprocess
import sys
from importlib import import_module, resources

from support.cases import each_case

import xml5tree

PLANNED = {
    *["fromstring", "XML", "fromstringlist", "parse", "iterparse", "XMLParser", "XMLPullParser"],
    *["accelerated", "repair", "repair_iter", "Repairer", "tokenize", "ParseError", "ErrorLog", "ErrorEntry"],
    *["fromstrings", "iterroots", "known_elements", "edits", "apply", "invert", "Edit"],
    *["records", "arecords", "aiterparse", "record_batches", "Record", "RecoveryWarning"],
    *["read_table", "read_frame", "RowsWarning", "Progress"],
}

PUBLIC_MODULES = {
    *("ElementTree", "containers", "errors", "lxml.etree", "options", "ranges", "sax", "tools", "typing"),
}

#: Objects that a caller gets, and does not make.
MADE_BY_THE_LIBRARY = {
    "Edit",
    "ErrorEntry",
    "ErrorLog",
    "ParseError",
    "Progress",
    "Record",
    "RecoveryWarning",
    "RowsWarning",
}


def test_names():
    assert set(xml5tree.__all__) == {name for name in PLANNED if hasattr(xml5tree, name)}
    assert len(set(xml5tree.__all__)) == len(xml5tree.__all__)


def test_importing_all_names_replaces_nothing_of_python():
    for module in (xml5tree, *(import_module(f"xml5tree.{name}") for name in PUBLIC_MODULES)):
        assert set(getattr(module, "__all__", ())) & set(dir(builtins)) <= {"__doc__"}, module.__name__
    assert xml5tree.open is import_module("xml5tree.streaming").open


def test_dir_lists_what_callers_use():
    import_module("xml5tree.lxml.etree")
    import_module("xml5tree.records")
    names = {name for name in dir(xml5tree) if not name.startswith("_")}
    assert names >= {*xml5tree.__all__, "open", "lxml", "errors", "options"}
    assert names <= {*xml5tree.__all__, "open", *PUBLIC_MODULES, "lxml", "spark"}
    assert {"__version__", "__doc__", "__path__"} <= set(dir(xml5tree))


def test_nothing_else_is_public():
    modules = {module.name for module in pkgutil.iter_modules(xml5tree.__path__)}
    names = {name for name in vars(xml5tree) if not name.startswith("_")}
    assert names - modules == {"open", *xml5tree.__all__} - modules


def public_objects():
    """Yield each public object and the public members of each public class, by name."""
    for name in (*xml5tree.__all__, "open"):
        thing = getattr(xml5tree, name)
        yield name, thing
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    yield f"{name}.{member}", value


@each_case("name", [name for name, _ in public_objects()])
def test_docstrings(name):
    thing = dict(public_objects())[name]
    assert inspect.cleandoc(thing.__doc__ or "")


@each_case(
    "name",
    [name for name, thing in public_objects() if callable(thing) and name not in {"RecoveryWarning", "RowsWarning"}],
)
def test_parameters_are_described(name):
    thing = dict(public_objects())[name]
    description = inspect.cleandoc(thing.__doc__) + (inspect.getdoc(thing.__init__) if inspect.isclass(thing) else "")
    parameters = set(inspect.signature(thing).parameters) - {"self"}
    if "As `" not in description and name not in MADE_BY_THE_LIBRARY:
        assert {parameter for parameter in parameters if parameter not in description} == set()


@each_case("name", [name for name, thing in public_objects() if callable(thing) and "." not in name])
def test_home(name):
    """Objects say where they are from, which pickling and documentation tools rely on."""
    thing = getattr(xml5tree, name)
    assert getattr(__import__(thing.__module__, fromlist=["x"]), thing.__name__) is thing


def test_version():
    assert xml5tree.__version__.count(".") == 2


def test_types_ship():
    assert resources.files(xml5tree).joinpath("py.typed").is_file()


def test_modules_are_there_without_an_import_of_their_own():
    """They are imported at their first use, and none before."""
    program = """if True:
        import sys
        import xml5tree
        names = ["ElementTree", "errors", "lxml", "options", "ranges", "sax", "tools", "typing"]
        assert set(names) <= set(dir(xml5tree))
        assert not {f"xml5tree.{name}" for name in ("ElementTree", "ranges", "sax", "tools")} & set(sys.modules)
        for name in names:
            assert getattr(xml5tree, name) is sys.modules[f"xml5tree.{name}"]
        assert not hasattr(xml5tree, "nope")
        sys.modules["xml5tree.spark"] = None
        assert not hasattr(xml5tree, "spark")
    """
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
