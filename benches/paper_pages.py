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

HERE = pathlib.Path(__file__).resolve().parent
PAGES = HERE.parent / "docs" / "papers"
NAMES = ["tpr", "course", "p-scheme", "trsv", "hisa"]
BLOCK = re.compile(r"(<!-- begin (?P<name>[^>]+?) -->\n)(?P<text>.*?)(<!-- end (?P=name) -->\n)", re.DOTALL)


def filled(name):
    """The page of a paper, before and after its blocks are made."""
    page = PAGES / f"{name}.md"
    tables = importlib.import_module("paper_tables." + name.replace("-", "_"))
    text = page.read_text()
    blocks = {found["name"] for found in BLOCK.finditer(text)}
    marked = text.count("<!-- begin ")
    if marked != len(list(BLOCK.finditer(text))):
        sys.exit(f"paper_pages.py: {page}: a block lacks its end")
    unknown, unused = blocks - set(tables.BLOCKS), set(tables.BLOCKS) - blocks
    if unknown or unused:
        sys.exit(f"paper_pages.py: {page}: no function makes {sorted(unknown)}; no block takes {sorted(unused)}")

    def make(found):
        return found[1] + "\n" + tables.BLOCKS[found["name"]]().strip() + "\n\n" + found[4]

    return page, text, BLOCK.sub(make, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[[], *NAMES])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    differing = []
    for name in arguments.names or NAMES:
        page, before, after = filled(name)
        if before == after:
            continue
        differing.append(name)
        if not arguments.check:
            page.write_text(after)
    if arguments.check and differing:
        sys.exit(f"paper_pages.py: differ from their CSVs: {', '.join(differing)}; run benches/paper_pages.py")


if __name__ == "__main__":
    main()
