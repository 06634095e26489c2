"""Run cases of the suite against an implementation.

usage: python run.py [--errors none|places|codes] [--only ID] SUITE.json COMMAND...

The command reads a JSON object a line, {"input": text} or {"bytes": hexadecimal digits}, and answers each with a line:
{"tree": …, "tokens": …, "errors": [[line, column, code], …]}, without what the suite does not ask for.
"""

import argparse
import json
import subprocess
import sys


def differences(case, answer, errors):
    """Yield what is wrong with an answer."""
    for name in ("tree", "tokens"):
        if name in case and case[name] != answer.get(name):
            yield f"  {name}: expected {json.dumps(case[name])}\n  {name}:      got {json.dumps(answer.get(name))}"
    if errors != "none":
        length = 3 if errors == "codes" else 2
        expected = sorted([error["line"], error["column"], error["code"]][:length] for error in case["errors"])
        found = sorted(list(error)[:length] for error in answer.get("errors", []))
        if expected != found:
            yield f"  errors: expected {expected}\n  errors:      got {found}"


def main():
    """Run the cases, and return the exit status."""
    parser = argparse.ArgumentParser(description="Run cases of the suite against an implementation.")
    parser.add_argument("--errors", choices=["none", "places", "codes"], default="none")
    parser.add_argument("--only", default="", metavar="ID", help="cases whose ids begin so")
    parser.add_argument("suite", type=argparse.FileType(encoding="utf-8"))
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    cases = [case for case in json.load(arguments.suite)["cases"] if case["id"].startswith(arguments.only)]
    asked = "".join(json.dumps({k: case[k] for k in ("input", "bytes") if k in case}) + "\n" for case in cases)
    done = subprocess.run(arguments.command, input=asked, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(cases):
        sys.exit(f"{len(cases)} cases, but {len(answers)} answers")
    failed = 0
    for case, answer in zip(cases, answers, strict=True):
        if found := list(differences(case, answer, arguments.errors)):
            failed += 1
            print(f"{case['id']}: {case.get('input', case.get('bytes'))!r}", *found, sep="\n")
    print(f"{len(cases) - failed} of {len(cases)} cases pass")
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
