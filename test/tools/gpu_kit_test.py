# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kit for machines with a GPU, rehearsed on simulated libraries: what is right passes, what is wrong fails."""

import argparse
import ctypes
import json
import os
import pathlib
import shutil
import subprocess
import sys


def expect(truth, message):
    if not truth:
        sys.exit(f"error: {message}")


def check(kit, out, simulated, *flags):
    """Runs the kit's script; (exit code, what it printed, the checks of its report)."""
    environment = dict(os.environ)
    if simulated:
        environment["LD_LIBRARY_PATH"] = str(simulated)
    ran = subprocess.run([kit / "gpu-check.sh", "--out", out, *flags], env=environment, capture_output=True, text=True)
    report = json.loads((out / "report.json").read_text())
    return ran.returncode, ran.stdout + ran.stderr, report["checks"]


def has_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
        return True
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser()
    for option in ("source", "bin", "simulated", "folder"):
        parser.add_argument(f"--{option}", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    shutil.rmtree(arguments.folder, ignore_errors=True)
    arguments.folder.mkdir(parents=True)
    kit, out = arguments.folder / "kit", arguments.folder / "out"
    foreign = arguments.folder / "foreign"
    foreign.mkdir()
    (foreign / "mine").write_text("kept")
    refused = subprocess.run([arguments.source / "tools/gpu-kit.sh", "--bin", arguments.bin, "--out", foreign],
                             capture_output=True, text=True)
    expect(refused.returncode == 1 and "is no kit" in refused.stderr, f"a folder was taken for a kit: {refused.stderr}")
    expect((foreign / "mine").read_text() == "kept", "a file of somebody's is gone")
    made = subprocess.run([arguments.source / "tools/gpu-kit.sh", "--bin", arguments.bin, "--out", kit],
                          capture_output=True, text=True)
    expect(made.returncode == 0, f"no kit: {made.stderr}")
    plans = (kit / "plans/list").read_text().split()

    code, text, checks = check(kit, out, arguments.simulated)
    expect(code == 0, f"the rehearsal failed with {code}:\n{text}")
    passed = {each["check"] for each in checks if each["verdict"] == "PASS"}
    for plan in plans:
        expect(f"1 load {plan}" in passed and f"6 train {plan}" in passed, f"{plan} was not checked:\n{text}")
    expect(f"7 resume {plans[0]}" in passed, f"nothing was resumed:\n{text}")

    golden = kit / f"golden/{plans[1]}.sha256"
    golden.write_text("0" * 64 + golden.read_text()[64:])
    code, text, checks = check(kit, out, arguments.simulated, "--quick")
    failed = [each for each in checks if each["verdict"] == "FAIL"]
    expect(code == 1 and [each["check"] for each in failed] == [f"6 train {plans[1]}"],
           f"other bits were not found ({code}):\n{text}")
    expect(f"plans/{plans[1]} --data synthetic" in failed[0]["detail"], f"no command repeats it:\n{text}")

    if not has_driver():
        code, text, checks = check(kit, out, None, "--quick")
        expect(code == 3 and "needs NVIDIA's driver" in text, f"a machine without a GPU was taken for one ({code}):\n{text}")


main()
