"""The suite for other implementations: it is up to date, the library passes, and who does not is told."""

import importlib.util
import json
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from support.cases import one_in

DOCS = Path(__file__).parent.parent / "docs"
SUITE = DOCS / "suite"
DIALECTS = {"xml5-trees": "xml5", "xml5-tokens": "tokens", "microxml-trees": "microxml", "leafxml-trees": "leafxml"}


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(*arguments):
    command = [sys.executable, SUITE / "run.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=SUITE)


def test_up_to_date():
    """`python docs/make_suite.py` writes the files anew."""
    make_suite = load(DOCS / "make_suite.py")
    made = dict(make_suite.suites())
    assert made.keys() == DIALECTS.keys() == {path.stem for path in SUITE.glob("*.json")}
    for name, suite in made.items():
        assert (SUITE / f"{name}.json").read_text("ascii") == make_suite.as_text(suite), "run python docs/make_suite.py"
        ids = [case["id"] for case in suite["cases"]]
        assert len(set(ids)) == len(ids)
        assert f"[{name}.json]" in (DOCS / "internals/suite.md").read_text("utf-8")


def test_what_the_test_data_do_not_say_is_not_written(monkeypatch):
    make_suite = load(DOCS / "make_suite.py")
    case = {"id": "D-000.1", "input": "<a>1 & 2</a>", "tree": "<a>1  2</a>", "errors": [["unescaped-ampersand", 1, 5]]}
    monkeypatch.setattr(make_suite, "load", lambda name: [case])
    with pytest.raises(AssertionError, match="does not agree"):
        list(make_suite.xml5_trees())
    case["tree"], case["errors"][0][2] = "<a>1 &amp; 2</a>", 6
    with pytest.raises(AssertionError, match="does not agree"):
        list(make_suite.xml5_trees())


@pytest.mark.parametrize(("name", "dialect"), one_in(2, DIALECTS.items()))
def test_the_library_passes(name, dialect):
    done = run("--errors", "codes", f"{name}.json", sys.executable, "xml5tree_adapter.py", dialect)
    count = len(json.loads((SUITE / f"{name}.json").read_text("ascii"))["cases"])
    assert (done.stdout, done.returncode) == (f"{count} of {count} cases pass\n", 0), done.stderr


#: Implementations with a fault each: what is changed of each answer, and whether the runner is to notice it if it
#: compares nothing of errors, their places, their codes.
FAULTY = {
    "no tree": ("case['tree'] = None", (True, True, True)),
    "attributes lost": (
        "case['tree'] = json.loads(re.sub('{.*?}', '{}', json.dumps(case['tree'])))",
        (True, True, True),
    ),
    "no errors": ("case['errors'] = []", (False, True, True)),
    "a column too far": ("[error.update(column=error['column'] + 1) for error in case['errors']]", (False, True, True)),
    "other codes": ("[error.update(code='other') for error in case['errors']]", (False, False, True)),
    "errors in another order": ("case['errors'].reverse()", (False, False, False)),
}


@pytest.mark.parametrize(("fault", "errors"), one_in(2, product(FAULTY, ["none", "places", "codes"])))
def test_runner_notices(fault, errors, tmp_path):
    change, noticed = FAULTY[fault]
    program = tmp_path / "implementation.py"
    program.write_text(f"""if True:
        import json, re, sys
        cases = [case for case in json.load(open({str(SUITE / "xml5-trees.json")!r}))["cases"] if case["id"] < "D-06"]
        for line, case in zip(sys.stdin, cases, strict=True):
            assert {{name: case[name] for name in ("input", "bytes") if name in case}} == json.loads(line)
            {change}
            errors = [[error["line"], error["column"], error["code"]] for error in case["errors"]]
            print(json.dumps({{"tree": case["tree"], "errors": errors}}))
    """)
    suite = json.loads((SUITE / "xml5-trees.json").read_text("ascii"))
    suite["cases"] = [case for case in suite["cases"] if case["id"] < "D-06"]
    (tmp_path / "some.json").write_text(json.dumps(suite))
    done = run("--errors", errors, tmp_path / "some.json", sys.executable, program)
    assert done.returncode == noticed[("none", "places", "codes").index(errors)], done.stdout + done.stderr


def test_runner_notices_missing_answers(tmp_path):
    program = tmp_path / "silent.py"
    program.write_text("import sys; sys.stdin.read()")
    done = run("--only", "D-054", "xml5-trees.json", sys.executable, program)
    assert done.returncode == 1
    assert "but 0 answers" in done.stderr


def test_slips_cite_decisions_that_exist():
    cited = set(re.findall(r"D-\d{3}", (DOCS / "internals/suite.md").read_text("utf-8")))
    assert cited <= set(re.findall(r"D-\d{3}", (DOCS / "internals/decisions.md").read_text("utf-8")))
