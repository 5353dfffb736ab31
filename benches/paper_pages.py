#!/usr/bin/env python3
"""Fills the tables of docs/papers from the CSVs of benches/results/papers.

    paper_pages.py [--check] [NAME...]

NAME     tpr, course, p-scheme, trsv, hisa (all of them)
--check  write nothing; fail if a page differs from its CSVs

A page has blocks between the lines `<!-- begin TABLE -->` and `<!-- end TABLE -->`. The function of that name in
benches/paper_tables/NAME.py makes the text between them. All measured figures of a page are in such blocks.
"""

import argparse
import importlib
import pathlib
import re
import sys

from paper_tables.common import BadResults

HERE = pathlib.Path(__file__).resolve().parent
PAGES = HERE.parent / "docs" / "papers"
NAMES = ["tpr", "course", "p-scheme", "trsv", "hisa"]
BLOCK = re.compile(r"(<!-- begin (?P<name>[^>]+?) -->\n)(?P<text>.*?)(<!-- end (?P=name) -->\n)", re.DOTALL)


class BadPage(Exception):
    """A page that cannot be made."""


def filled(name):
    """The page of a paper, before and after its blocks are made."""
    page = PAGES / f"{name}.md"
    tables = importlib.import_module("paper_tables." + name.replace("-", "_"))
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
    unknown = [name for name in arguments.names if name not in NAMES]
    if unknown:
        parser.error(f"no page {', '.join(unknown)}: name {', '.join(NAMES)}, or none for all")
    differing = []
    for name in arguments.names or NAMES:
        try:
            page, before, after = filled(name)
        except (BadPage, OSError) as error:
            print(f"paper_pages.py: {error}", file=sys.stderr)
            return 2
        if before == after:
            continue
        differing.append(name)
        if not arguments.check:
            page.write_text(after)
    if arguments.check and differing:
        print(f"paper_pages.py: differ from their CSVs: {', '.join(differing)}; run benches/paper_pages.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
