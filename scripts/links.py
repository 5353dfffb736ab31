#!/usr/bin/env python3
"""Fails if a relative link or picture of a Markdown file of the repository leads nowhere, or a link to a heading to none."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def anchors(page):
    """What links to the headings of a page are called: letters, digits, hyphens, and spaces as hyphens."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        repeated = 0
        while (name if repeated == 0 else f"{name}-{repeated}") in found:
            repeated += 1
        found.add(name if repeated == 0 else f"{name}-{repeated}")
    return found


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    broken = []
    for name in listed.stdout.splitlines():
        page = ROOT / name
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for target, anchor in LINK.findall(line):
                if "://" in target:
                    continue
                to = page.parent / target if target else page
                if not to.exists() or (anchor and to.suffix == ".md" and anchor not in anchors(to)):
                    broken.append(f"{name}:{number}: {target}{'#' + anchor if anchor else ''}")
    if broken:
        sys.exit("links.py: these lead nowhere:\n" + "\n".join(broken))


if __name__ == "__main__":
    main()
