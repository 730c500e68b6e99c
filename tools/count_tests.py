#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the cases that tools/test.sh ran, says what took long, and fails when one of them failed.

A folder of results holds what ctest wrote (ctest.junit) and what its tests wrote themselves: one file
per GoogleTest binary, lit.xml for the text tests. A test that failed without a failed case in its own
file (it crashed, hung, or left no file) counts as one failure; a build that failed as one too.
"""

import argparse
import pathlib
import sys
import xml.etree.ElementTree as xml


def cases(file):
    """(name, outcome) of every case in a file that GoogleTest or lit wrote."""
    for case in xml.parse(file).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            yield name, "failed"
        elif case.find("skipped") is not None or case.get("status") == "notrun":
            yield name, "skipped"
        else:
            yield name, "passed"


def outcomes(folder):
    """(name, outcome) of every case of one run of ctest."""
    for test in xml.parse(folder / "ctest.junit").iter("testcase"):
        name = test.get("name")
        own = folder / ("lit.xml" if name == "lit" else f"{name}.xml")
        failed = test.get("status") not in ("run", "disabled")
        found = []
        try:
            found = list(cases(own)) if own.exists() else []
        except xml.ParseError:
            failed = True
        yield from ((f"{name}: {case}", outcome) for case, outcome in found)
        if failed and not any(outcome == "failed" for _, outcome in found):
            yield name, "failed"
        elif not found:
            yield name, "skipped" if test.get("status") == "disabled" else "passed"


LONG = 10  # seconds


def print_seconds(results):
    """Writes what every binary took into RESULTS/seconds.txt, and prints what took long."""
    taken = sorted(((float(test.get("time") or 0), folder.name, test.get("name"))
                    for folder in results for test in xml.parse(folder / "ctest.junit").iter("testcase")), reverse=True)
    lines = [f"{seconds:8.1f} s  {run}: {name}" for seconds, run, name in taken]
    (results[0].parent / "seconds.txt").write_text("\n".join(lines) + "\n")
    print(f"{sum(seconds for seconds, *_ in taken):.0f} seconds of tests, one after the other; over {LONG} s each:")
    print("\n".join(line for line, (seconds, *_) in zip(lines, taken) if seconds > LONG))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    parser.add_argument("--failed-builds", type=int, default=0)
    arguments = parser.parse_args()

    count = {"passed": 0, "failed": arguments.failed_builds, "skipped": 0}
    folders = sorted(file.parent for file in arguments.results.glob("*/ctest.junit"))
    if folders:
        print_seconds(folders)
    for folder in folders:
        for name, outcome in outcomes(folder):
            count[outcome] += 1
            if outcome == "failed":
                print(f"failed: {folder.name}: {name}")
    if count["skipped"]:
        print(f"{count['skipped']} skipped: this machine lacks what they need")
    print(f"{count['passed']} passed, {count['failed']} failed")
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
