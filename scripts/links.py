#!/usr/bin/env python3
"""Fails if a relative link or picture of a Markdown file of the repository leads nowhere."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True)
    broken = []
    for name in listed.stdout.splitlines():
        page = ROOT / name
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for target, _ in LINK.findall(line):
                if "://" not in target and not (page.parent / target).exists():
                    broken.append(f"{name}:{number}: {target}")
    if broken:
        sys.exit("links.py: these lead nowhere:\n" + "\n".join(broken))


if __name__ == "__main__":
    main()
