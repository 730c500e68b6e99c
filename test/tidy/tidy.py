#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the house to its rules; each broken one is printed as file:line: message.

    tidy.py layers|attributes|budgets|order|words|licences|headers|formatting|orphans [ROOT [BUILD]]
"""

import pathlib
import sys

import attributes
import budgets
import formatting
import headers
import layers
import licences
import order
import orphans
import words
from source_tree import SourceTree

CHECKS = {module.__name__: module.check for module in (layers, attributes, budgets, order, words, licences, headers, formatting, orphans)}


def main(arguments):
    if not arguments or arguments[0] not in CHECKS:
        print(__doc__, file=sys.stderr)
        return 2
    check, *places = arguments
    findings = list(CHECKS[check](SourceTree(*places or [pathlib.Path(__file__).resolve().parents[2]])))
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
