# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command and says what it took (the kernel's own account of that one process); reads what our tools leave."""

import dataclasses
import json
import os
import re
import subprocess
import time


@dataclasses.dataclass
class Measured:
    seconds: float
    user_seconds: float
    peak_bytes: int
    output: str


def run(command, expected=0):
    """The command's output and costs; SystemExit, with what it printed, if it ends with another exit code."""
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != expected:
        raise SystemExit(f"{output}\n{command[0]} ended with exit code {process.returncode}")
    return Measured(time.perf_counter() - start, usage.ru_utime, usage.ru_maxrss * 1024, output)


def busiest_lane(overview):
    """(seconds of a step in which it has work, its name), of what windlass-compile prints."""
    units = {"s": 1, "ms": 1e-3, "us": 1e-6, "min": 60}
    return max((float(number) * units[unit], lane)
               for lane, number, unit in re.findall(r"(\w+) +busy ([\d.]+) (\w+),", overview))


def step_records(metrics):
    """Of a metrics.jsonl, the objects of steps, in order."""
    records = [json.loads(line) for line in metrics.read_text().splitlines()]
    return [record for record in records if "step_time_s" in record]


def step_seconds(metrics):
    return [record["step_time_s"] for record in step_records(metrics)]
