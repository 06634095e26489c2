"""What the project says of itself to those who adopt it: each file agrees with the others, and what it names works."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from support.commands import run_command

import xml5tree

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def read(name):
    return (ROOT / name).read_text("utf-8")


def test_versions_of_python_are_tested_and_named():
    named = {name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", name)}
    tested = set(re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.*)\]", read(".github/workflows/tests.yml"))[1]))
    oldest, newest = min(named, key=_number), max(named, key=_number)
    assert named == tested == {f"3.{minor}" for minor in range(_number(oldest), _number(newest) + 1)}
    assert PROJECT["requires-python"] == f">={oldest}"
    assert f"{oldest} to {newest} on Linux, macOS and Windows" in read("docs/internals/contributing.md")
    assert f"Python {oldest} or later" in read("README.md")


def _number(version):
    return int(version.partition(".")[2])


def test_versions_of_lxml():
    (requirement,) = PROJECT["dependencies"]
    oldest = requirement.removeprefix("lxml>=")
    assert f"| lxml | {oldest} and later" in read("docs/internals/contributing.md")
    assert f'"lxml=={oldest}.*"' in read(".github/workflows/tests.yml")


def test_version():
    assert PROJECT["version"] == xml5tree.__version__


def test_urls():
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= PROJECT["urls"].keys()
    for page in ("docs/command-line.md", "docs/internals/contributing.md"):
        for url in re.findall(r"https://github\.com/xml5tree/xml5tree", read(page)):
            assert url == PROJECT["urls"]["Source"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_workflows(workflow):
    """They are YAML with jobs and steps, have no more rights than they need, and run files that are there."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    content = yaml.safe_load(workflow.read_text("utf-8"))
    assert content["permissions"] == {"contents": "read"}
    for job in content["jobs"].values():
        assert job["runs-on"]
        for step in job["steps"]:
            assert "uses" in step or "run" in step
            for path in re.findall(r"(?:tests|\.ci)/[\w./]+", step.get("run", "")):
                assert (ROOT / path).exists()
            for extras in re.findall(r'"\.\[(.+?)\]"', step.get("run", "")):
                assert set(extras.split(",")) <= PROJECT["optional-dependencies"].keys()


def test_all_systems():
    content = read(".github/workflows/tests.yml")
    assert all(f"{system}-latest" in content for system in ("ubuntu", "macos", "windows"))


HOOKS = dict(re.findall(r"- id: (\S+)\n(?:  .*\n)*?  entry: xml5tree (.+)\n", read(".pre-commit-hooks.yaml")))


@pytest.mark.parametrize(
    ("document", "hooks_that_fail"),
    [
        ("<a>fine</a>", []),
        ("<a>Fish & chips</a>", ["xml5tree-check-strict"]),
        *((document, list(HOOKS)) for document in ("<a><b></a>", "<a>\x01</a>", "<a>cut of")),
    ],
)
def test_hooks(tmp_path, document, hooks_that_fail):
    """The entries of the hooks are commands that fail where their descriptions say so."""
    path = tmp_path / "a.xml"
    path.write_text(document)
    assert [*HOOKS] == ["xml5tree-check", "xml5tree-check-strict", "xml5tree-repair"]
    failed = [name for name, entry in HOOKS.items() if run_command(*shlex.split(entry), path).status]
    assert failed == hooks_that_fail
    assert (path.read_text("utf-8") == document) == (hooks_that_fail != ["xml5tree-check-strict"])
    assert os.listdir(tmp_path) == ["a.xml"]
    assert all(f"`{name}`" in read("docs/command-line.md") for name in HOOKS)


def test_recipe_for_github_actions(tmp_path, monkeypatch):
    command = re.search(r"- run: xml5tree (check .+)", read("docs/command-line.md"))[1]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.xml").write_text("<a><b></a>")
    done = run_command(*shlex.split(command))
    assert done.status == 2
    assert done.out.startswith("::warning file=a.xml,line=1,")


def test_ways_to_install():
    """Those for today work in a copy of the repository, and stand where the command is mentioned first."""
    for page in ("README.md", "docs/command-line.md"):
        text = read(page)
        command = re.search(r"\bxml5tree (?:check|repair)\b", text)
        assert command
        assert re.search(r"pip install (?:-q )?'\.\[cli\]'", text[: command.start()])
    readme = read("README.md")
    assert (
        readme.index("pip install .") < readme.index("From the first release on") < readme.index("pip install xml5tree")
    )
    assert "`SECURITY.md`" in readme
    assert "Report a vulnerability" in read("SECURITY.md")


def test_recipe_for_conda():
    """It is of this version, and needs what the package and its extra ``cli`` need."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    recipe = yaml.safe_load(read("packaging/conda/recipe.yaml"))
    assert recipe["context"]["version"] == PROJECT["version"] == xml5tree.__version__
    needed = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["cli"]]
    assert [name.replace(" ", "") for name in recipe["requirements"]["run"]] == ["python", *needed]
    build = tomllib.loads(read("pyproject.toml"))["build-system"]["requires"]
    assert {name.replace(" ", "") for name in recipe["requirements"]["host"]} == {"python", "pip", *build}
    [entry] = recipe["build"]["python"]["entry_points"]
    assert entry == " = ".join(*PROJECT["scripts"].items())
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert (ROOT / recipe["about"]["license_file"]).exists()


def test_wheels_are_built_and_tried_everywhere():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    jobs = yaml.safe_load(read(".github/workflows/wheels.yml"))["jobs"]
    systems = jobs["compiled"]["strategy"]["matrix"]["os"]
    assert len(systems) == 6
    assert tomllib.loads(read("pyproject.toml"))["tool"]["cibuildwheel"]["build"] == "cp311-* cp313t-* cp314t-*"
    installed = jobs["installed"]["strategy"]["matrix"]
    assert installed["os"] == systems
    named = {name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", name)}
    assert {"3.11", *installed["python"]} == named == set(jobs["installed-with-musl"]["strategy"]["matrix"]["python"])
    # Nothing is published that has not been tried.
    tried = {name for name in jobs if name.startswith("installed")}
    assert set(jobs["publish"]["needs"]) == tried
    assert jobs["publish"]["permissions"] == {"attestations": "write", "id-token": "write"}


def test_oldest_integrations_are_those_of_the_extra():
    job = re.search(r"  oldest-integrations:\n(.*?)\n\n", read(".github/workflows/tests.yml"), re.DOTALL)[1]
    tried = dict(re.findall(r'"([\w-]+)==([\d.]+?)(?:\.\*)?"', job))
    promised = dict(re.findall(r"([\w-]+)>=([\d.]+)", " ".join(PROJECT["optional-dependencies"]["compat"])))
    assert len(tried) == 10
    for name, version in tried.items():
        assert f"{version}.".startswith(f"{promised[name]}."), name


@pytest.mark.parametrize(
    ("definition", "is_found"),
    [
        ("def f():\n    'Whether it is so.'", True),
        ("class C:\n    async def f(self):\n        'What it is.'", True),
        ("def f():\n    'Return whether it is so.'", False),
        ("@property\ndef f(self):\n    'What it is.'", False),
        ("@f.setter\ndef f(self, value):\n    'What it is.'", False),
        ("@click.command(short_help='Help.')\ndef f():\n    'What it is.'", False),
        ("def __len__(self):\n    'How many there are.'", False),
        ("def f():\n    'Return the same of a text.'", True),
        ("@property\ndef f(self):\n    'The same of a text.'", True),
        ("def f():\n    'Read so many characters.'", True),
        ("def f():\n    'Return whether all of these are open.'", True),
        ("def f():\n    'Return those.'", True),
        ("def f():\n    'Return the names, or those that stand first.'", False),
        ("def f():\n    'Add these names.'", False),
        ("def f():\n    'Read.\\n\\nAll of these are read.'", False),
        ("def f():\n    pass", False),
    ],
)
def test_riddles_in_docstrings_are_found(definition, is_found):
    assert bool(_riddles(definition)) is is_found


def test_docstrings_of_functions_are_no_riddles():
    """They begin with verbs, and name what they are about; docs/internals/contributing.md says how."""
    assert [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "xml5tree").rglob("*.py"))
        for line in _riddles(path.read_text("utf-8"))
    ] == []


_MAY_BE_A_NOUN = re.compile(r"[\w.]*(property|\.setter|\.command|\.group)\b")
_NOUN_CLAUSE = re.compile(r"(What|Whether|How many|The same)\b")
_WITHOUT_A_NOUN = re.compile(r"\bthe same of\b|\bso (many|much)\b", re.IGNORECASE)
#: A word for things that the sentence has not named; nouns are known by their plural.
_PRONOUN = re.compile(
    r"(?:(?!\w{3,}s\b).)*?\b(these|those)(?= (are|is|of|that|which|who|to|in|on|with|and|or|by|for|from)\b|[^\w ]|$)",
    re.IGNORECASE | re.DOTALL,
)


def _riddles(source):
    """Return the lines of functions whose docstring begins as a noun clause, or with things that it does not name.

    Properties and the help of commands may begin with nouns. Only the docstring's first paragraph counts.
    """
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and _is_riddle((ast.get_docstring(node) or "").partition("\n\n")[0], _begins_with_verb(node))
    ]


def _begins_with_verb(function):
    is_magic = function.name.startswith("__") and function.name.endswith("__")
    return not is_magic and not any(_MAY_BE_A_NOUN.match(ast.unparse(item)) for item in function.decorator_list)


def _is_riddle(sentence, begins_with_verb):
    return bool(
        (begins_with_verb and _NOUN_CLAUSE.match(sentence))
        or _WITHOUT_A_NOUN.search(sentence)
        or _PRONOUN.match(sentence)
    )


needs_git = pytest.mark.skipif(not shutil.which("git") or os.name == "nt", reason="git and a POSIX shell are needed")


@needs_git
@pytest.mark.parametrize(
    ("subject", "problem"),
    [
        ("intent: infer element name from end tag", None),
        ("cli, docs: count columns from 1", None),
        ("Correct what two rules bring", "not of the form"),
        ("Docs: say it", "not of the form"),
        ("docs:say it", "not of the form"),
        (f"docs: {'x' * 66}", None),
        (f"docs: {'x' * 67}", "over 72 characters"),
    ],
)
def test_subjects_of_commits(tmp_path, subject, problem):
    commit(tmp_path, "Any subject will do on main")
    git(tmp_path, "checkout", "-q", "-b", "branch")
    commit(tmp_path, subject)
    done = check_subjects(tmp_path)
    assert (done.returncode, done.stderr) == (int(problem is not None), "")
    assert done.stdout.startswith(problem) if problem else not done.stdout


@needs_git
def test_subjects_from_before_the_script_are_left_alone(tmp_path):
    commit(tmp_path, "The first")
    git(tmp_path, "checkout", "-q", "-b", "branch")
    commit(tmp_path, "An old one")
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/subjects").touch()
    git(tmp_path, "add", ".ci")
    commit(tmp_path, "ci: check subjects")
    assert not check_subjects(tmp_path).stdout
    commit(tmp_path, "A new one")
    assert check_subjects(tmp_path).stdout.endswith("A new one\n")


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, check=True)


def commit(folder, subject):
    if not (folder / ".git").exists():
        git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", subject)


def check_subjects(folder):
    return subprocess.run([ROOT / ".ci/subjects"], cwd=folder, capture_output=True, text=True, check=False)
