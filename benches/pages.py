#!/usr/bin/env python3
"""Fills the tables of README.md, docs/guide and docs/papers from the CSVs of benches/results.

    pages.py [--check] [NAME...]

NAME     readme, tridiagonal, triangular, recurrences, filters (of docs/guide), tpr, course, p-scheme, trsv, hisa (of docs/papers); all of them
--check  write nothing; fail if a page differs from its CSVs

A page has blocks between the lines `<!-- begin TABLE -->` and `<!-- end TABLE -->`. The function of that name in
benches/tables/NAME.py makes the text between them. All measured figures of a paper's page are in such blocks.
"""

import argparse
import importlib
import pathlib
import re
import sys

from tables.common import BadResults

ROOT = pathlib.Path(__file__).resolve().parent.parent
GUIDES = ["tridiagonal", "triangular", "recurrences", "filters"]
PAPERS = ["tpr", "course", "p-scheme", "trsv", "hisa"]
PAGES = {
    "readme": ROOT / "README.md",
    **{name: ROOT / "docs/guide" / f"{name}.md" for name in GUIDES},
    **{name: ROOT / "docs/papers" / f"{name}.md" for name in PAPERS},
}
BLOCK = re.compile(r"(<!-- begin (?P<name>[^>]+?) -->\n)(?P<text>.*?)(<!-- end (?P=name) -->\n)", re.DOTALL)


class BadPage(Exception):
    """A page that cannot be made."""


def filled(name):
    """A page, before and after its blocks are made."""
    page = PAGES[name]
    tables = importlib.import_module("tables." + name.replace("-", "_"))
    text = page.read_text()
    blocks = {found["name"] for found in BLOCK.finditer(text)}
    marked = text.count("<!-- begin ")
    if marked != len(list(BLOCK.finditer(text))):
        raise BadPage(f"{page}: a block lacks its end")
    unknown, unused = blocks - set(tables.BLOCKS), set(tables.BLOCKS) - blocks
    if unknown or unused:
        raise BadPage(f"{page}: no function makes {sorted(unknown)}; no block takes {sorted(unused)}")

    def make(found):
        try:
            made = tables.BLOCKS[found["name"]]()
        except BadResults as error:
            raise BadPage(f"{page}, block {found['name']}: {error}") from error
        return found[1] + "\n" + made.strip() + "\n\n" + found[4]

    return page, text, BLOCK.sub(make, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in PAGES]
    if unknown:
        parser.error(f"no page {', '.join(unknown)}: name {', '.join(PAGES)}, or none for all")
    differing = []
    for name in arguments.names or PAGES:
        try:
            page, before, after = filled(name)
        except (BadPage, OSError) as error:
            print(f"pages.py: {error}", file=sys.stderr)
            return 2
        if before == after:
            continue
        differing.append(name)
        if not arguments.check:
            page.write_text(after)
    if arguments.check and differing:
        print(f"pages.py: differ from their CSVs: {', '.join(differing)}; run benches/pages.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
