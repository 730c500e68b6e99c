# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The papers' figures, asked of Windlass.

  python3 figures.py infinity-6a            one of them, as a table
  python3 figures.py                        all of them: minutes
  python3 figures.py --write                all, and docs/papers.md and figures.json anew
  python3 figures.py NAME ... --write       these alone anew
  python3 figures.py --check                what takes seconds, against figures.json; and the page

Tools are found on the path, or in the folder after --tools.
"""

import argparse
import dataclasses
import json
import pathlib
import sys

import fsdp
import infinity
import infinity_scale
import infinity_speed
import offload
import recomputation
import runs
import zero
import zero_parallel
from rows import Row
from tools import Tools

HERE = pathlib.Path(__file__).parent
RECORD, PAGE = HERE / "figures.json", HERE.parents[1] / "docs" / "papers.md"
PAPERS = {"ZeRO": zero, "ZeRO, beside model parallelism": zero_parallel, "ZeRO-Infinity": infinity,
          "ZeRO-Infinity, throughput": infinity_speed, "ZeRO-Infinity, 512 GPUs": infinity_scale,
          "ZeRO-3 Offload": offload, "Activation recomputation": recomputation, "Runs of others": runs,
          "Runs of others with FSDP": fsdp}
MARK = "<!-- made by examples/papers/figures.py -->\n"
SAME = 0.02  # of a value that the record and a check may differ by


def table(rows):
    lines = ["| what | published | Windlass | difference | why |", "| --- | --- | --- | --- | --- |"]
    lines += ["| " + " | ".join((row.what, *row.cells())) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def page_of(record):
    """The tables of the page, from the record."""
    rows = [row for name in record for row in record[name]]
    missed = sum(not row.held() for row in rows)
    text = f"{len(rows)} rows, {missed} of them missed.\n"
    for paper, module in PAPERS.items():
        text += f"\n## {paper}\n"
        for name, (title, _, _) in module.FIGURES.items():
            if name in record:
                text += f"\n**{title}** (`{name}`)\n\n" + table(record[name])
    return text


def figures():
    return {name: figure for module in PAPERS.values() for name, figure in module.FIGURES.items()}


def read_record():
    if not RECORD.exists():
        return {}
    return {name: [Row(**row) for row in rows] for name, rows in json.loads(RECORD.read_text()).items()}


def write(record):
    ordered = {name: [dataclasses.asdict(row) for row in record[name]] for name in figures() if name in record}
    RECORD.write_text(json.dumps(ordered, indent=1) + "\n")
    begin = PAGE.read_text().partition(MARK)[0]
    PAGE.write_text(begin + MARK + page_of(record))


def check(tools, record):
    """Whether what takes seconds is what the record says, and the page what the record makes."""
    faults = []
    for name, (_, is_fast, figure) in figures().items():
        if not is_fast:
            continue
        known = tools.recorded = {row.what: row for row in record[name]}
        for row in figure(tools):
            if row.what not in known:
                faults.append(f"{name}: {row.what}: is not in the record")
                continue
            twin = known[row.what]
            if row.held() != twin.held() or any(abs(a - b) > SAME * abs(b) for a, b in zip(row.ours, twin.ours, strict=True)):
                faults.append(f"{name}: {row.what}: {row.cells()} now, {twin.cells()} in the record")
    if PAGE.read_text().partition(MARK)[2] != page_of(record):
        faults.append(f"{PAGE.name}: is not of figures.json: run figures.py --write NAME for the figures that changed")
    return faults


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", choices=[*figures(), []], metavar="NAME", help=", ".join(figures()))
    options.add_argument("--write", action="store_true")
    options.add_argument("--check", action="store_true")
    options.add_argument("--tools", metavar="FOLDER")
    given = options.parse_args()
    record = read_record()
    with Tools(given.tools) as tools:
        if given.check:
            faults = check(tools, record)
            print("\n".join(faults) if faults else f"{len(figures())} figures: what takes seconds is as recorded")
            sys.exit(bool(faults))
        for name in given.names or figures():
            title, _, figure = figures()[name]
            record[name] = list(figure(tools))
            print(f"{name}: {title}\n{table(record[name])}", flush=True)
            if given.write:
                write(record)


if __name__ == "__main__":
    main()
