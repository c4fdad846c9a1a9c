"""The end of the scripts that compare the names of Dropbox's SDKs with those here: the table, and the names that are missing.

Not responsible for finding the names.
"""

import os
import re
import sys

HOME = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))


def folder_argument(usage):
    """The one argument that is no option; ends with the usage if there is another number of them."""
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if len(arguments) != 1:
        sys.exit(usage)
    return arguments[0]


def report(there, here, group, titles, page, mark="<!-- reasons -->"):
    """Prints the table, and ends with 1 if a name of `there` that is not `here` has no reason behind the mark of a page; with
    --all, prints these names instead. `group` returns the title of a name's row."""
    missing = sorted(there - here)
    if "--all" in sys.argv:
        print("\n".join(missing))
        return
    with open(os.path.join(HOME, page), encoding="utf-8") as file:
        rows = file.read().partition(mark)[2].partition("<!-- end -->")[0]
    reasons = [re.escape(reason).replace(r"\*", ".*") for reason in re.findall(r"^\| `([^`]+)` \|", rows, re.M)]
    print("| | there | here | missing |")
    print("|---|---|---|---|")
    for title in titles:
        part = {name for name in there if group(name) == title}
        print(f"| {title} | {len(part)} | {len(part & here)} | {len(part - here)} |")
    known = len(there & here)
    print(f"| all | {len(there)} | {known}, {known / max(len(there), 1):.2%} | {len(missing)} |")
    unexplained = [name for name in missing if not any(re.fullmatch(reason, name) for reason in reasons)]
    for name in unexplained:
        print(f"{os.path.basename(sys.argv[0])}: {name} is missing without a reason", file=sys.stderr)
    sys.exit(1 if unexplained else 0)
