"""Runs a command and says what it took: the kernel's own account of that one process."""

import dataclasses
import os
import subprocess
import time


@dataclasses.dataclass
class Measured:
    seconds: float
    user_seconds: float
    peak_bytes: int
    output: str


def run(command):
    """The command's output and costs; SystemExit, with what it printed, if it fails."""
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{output}\n{command[0]} ended with exit code {process.returncode}")
    return Measured(time.perf_counter() - start, usage.ru_utime, usage.ru_maxrss * 1024, output)
