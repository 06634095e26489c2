"""`python -m xml5tree` and the command `xml5tree`."""

import importlib.util
import sys


def main() -> int:
    """Run the command line; return the exit status, 3 where the extra ``cli`` is not installed."""
    if importlib.util.find_spec("click") is None:
        if sys.argv[1:] == ["doctor"]:  # which says that click is missing
            from xml5tree.doctor import report

            print(report())
            return 0
        print("The command line needs one more package: pip install 'xml5tree[cli]'", file=sys.stderr)
        print("(in a copy of the repository: pip install '.[cli]')", file=sys.stderr)
        return 3
    from xml5tree.cli.application import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
