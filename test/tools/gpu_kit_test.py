# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kit for machines with a GPU, rehearsed on simulated libraries: what is right passes, what is wrong fails, and code that a
GPU lets pass but that breaks a rule is in what the simulated driver reports of each run."""

import argparse
import ctypes
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys


def expect(truth, message):
    if not truth:
        sys.exit(f"error: {message}")


# Runs a tool as the kit does, with a report of the simulated driver's in a file of its own, and beside it the command.
WATCHED = """#!/bin/sh
report=$(mktemp "$REPORTS/XXXXXX")
echo "$0 $*" >"$report.command"
WINDLASS_SIM_REPORT=$report exec "$0.watched" "$@"
"""

# In the place of a python3 with PyTorch, where there is none: it answers as the script would, in seconds.
STAND_IN = """#!/bin/sh
case "$1" in -c) exit 0 ;; esac
[ "$(basename "$1")" = gpt2_pytorch.py ] && [ "$3 $4" = "--device cpu" ] && [ -e "$2/config.json" ] && printf '0.5\\n0.25\\n0.125\\n'
"""


def write_script(path, text):
    path.write_text(text)
    path.chmod(0o755)


def watch(kit):
    """Has the tools of a kit leave reports."""
    for tool in ("windlass-run", "windlass-probe"):
        (kit / "bin" / tool).rename(kit / "bin" / f"{tool}.watched")
        write_script(kit / "bin" / tool, WATCHED)


def is_of_a_probe(said, line):
    """windlass-probe makes ready what it measures next when it has measured something; nothing trains meanwhile."""
    return "/windlass-probe " in said and line.startswith("allocation during a run: ")


def breaches(reports):
    """What runs did that the driver's rules forbid: 'COMMAND: RULE', but for runs of code that the kit made wrong."""
    found, runs = [], 0
    for command in sorted(reports.glob("*.command")):
        report = command.with_suffix("")
        if not report.stat().st_size:  # killed, or no GPU was asked for
            continue
        runs += 1
        lines = report.read_text().splitlines()[1:]
        said = command.read_text().strip()
        if "/edited " not in said:
            found += [f"{said}: {line}" for line in lines if line.strip() != "left behind:" and not is_of_a_probe(said, line)]
    return found, runs


def check(kit, out, simulated, gpus=1):
    """Runs the kit's script, from beside the kit; (exit code, what it printed, the checks of its report)."""
    reports = kit.parent / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    environment = {**os.environ, "REPORTS": str(reports)}
    if simulated:
        environment.update({"LD_LIBRARY_PATH": str(simulated), "WINDLASS_SIM_DEVICES": str(gpus)})
    if not importlib.util.find_spec("torch"):
        path = kit.parent / "path"
        path.mkdir(exist_ok=True)
        write_script(path / "python3", STAND_IN)
        environment["PATH"] = f"{path}:{environment['PATH']}"
    ran = subprocess.run([kit / "gpu-check.sh", "--kit", kit.name, "--out", out.name, "--quick", "--rehearsal"], cwd=kit.parent,
                         env=environment, capture_output=True, text=True)
    report = json.loads((out / "report.json").read_text())
    return ran.returncode, ran.stdout + ran.stderr, report["checks"]


def names(checks, verdict):
    return [each["check"] for each in checks if each["verdict"] == verdict]


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
    made = subprocess.run([arguments.source / "tools/gpu-kit.sh", "--bin", arguments.bin, "--out", kit, "--plans", "3",
                           "--rehearsal"], capture_output=True, text=True)
    expect(made.returncode == 0, f"no kit: {made.stderr}")
    watch(kit)
    by_bits = (kit / "plans/by-bits").read_text().split()
    by_losses = [line.split()[0] for line in (kit / "plans/by-losses").read_text().splitlines()]

    code, text, checks = check(kit, out, arguments.simulated, gpus=2)
    expect(code == 0, f"the rehearsal failed with {code}:\n{text}")
    expected = [f"1 load {plan}" for plan in by_bits + by_losses]
    expected += [f"{what} {plan}" for what in ("2 kernels of", "6 train") for plan in by_bits]
    expected += [f"{what} {plan}" for what in ("4 products of", "7 train") for plan in by_losses]
    expected += ["9 rates", f"3 reference executor, {by_bits[0]}", f"7 resume {by_bits[0]}", "3 3 plans of random decisions"]
    expected += [f"3 {what}" for what in ("a plan too large for the device", "code that the driver refuses",
                                          "a kernel with other bits", "a kernel that reads elsewhere",
                                          "a kernel that never ends", "the same under --check-kernels",
                                          "a run that is killed")]
    expected += [f"5 {by_bits[1]} over NCCL", f"5 {by_bits[1]} on one GPU", "10 gpt2-124m", "10 gpt2-124m-capped",
                 "10 the same in PyTorch"]
    missing = set(expected) - set(names(checks, "PASS"))
    expect(not missing, f"not checked: {missing}\n{text}")
    details = {each["check"]: each["detail"] for each in checks}
    for plan in by_bits + by_losses:
        expect("at most 32 registers a thread, none spilled" in details[f"1 load {plan}"], f"no registers:\n{text}")
    if not importlib.util.find_spec("torch"):  # a step of 24 tokens took a quarter of a second
        expect(details["10 the same in PyTorch"] == "96 tokens/s", f"another rate of PyTorch's:\n{text}")
    found, runs = breaches(arguments.folder / "reports")
    expect(runs > 40, f"only {runs} reports of the simulated driver")
    expect(not found, "rules of the driver were broken:\n" + "\n".join(found))

    measured = json.loads((out / "machine.json").read_text())["measured"]
    expect({"device.flops.bf16", "links.cg.in", "links.gg.bandwidth", "nvme.read"} <= measured.keys(), f"not measured: {measured}")

    # Two plans, and of each what a CPU made is not what the GPU makes.
    small, library = by_bits[1], by_losses[0]
    (kit / "plans/by-bits").write_text(f"{small}\n")
    (kit / "plans/by-losses").write_text((kit / "plans/by-losses").read_text().splitlines()[0] + "\n")
    steps, quick_steps = (kit / "golden/steps").read_text().split()
    golden = kit / f"golden/{small}.{quick_steps}.sha256"
    golden.write_text("0" * 64 + golden.read_text()[64:])
    for plan in range(2, 4):
        shutil.rmtree(kit / f"plans/random-{plan}")
    (kit / f"golden/random.{quick_steps}.sha256").write_text(golden.read_text())
    shutil.rmtree(kit / "plans/too-large")
    shutil.copytree(kit / f"plans/{small}", kit / "plans/too-large")
    losses = kit / f"golden/{library}.losses"
    expect(len(losses.read_text().split()) == int(steps), "a step without a loss")
    losses.write_text("5.0\n" + losses.read_text().split("\n", 1)[1])
    code, text, checks = check(kit, out, arguments.simulated)
    failed = [f"3 reference executor, {small}", "3 random-1", "3 a plan too large for the device", f"6 train {small}", f"7 resume {small}", f"7 train {library}"]
    expect(code == 1 and names(checks, "FAIL") == failed, f"other bits were not found ({code}):\n{text}")
    expect("5 NCCL" in names(checks, "SKIP"), f"NCCL is tried on one GPU:\n{text}")
    details = {each["check"]: each["detail"] for each in checks}
    expect(f"plans/{small} --data synthetic" in details[failed[3]], f"no command repeats it:\n{text}")
    expect("step 1 has loss" in details[failed[5]], f"the loss is not named:\n{text}")

    if not has_driver():
        code, text, checks = check(kit, out, None)
        expect(code == 3 and "needs NVIDIA's driver" in text, f"a machine without a GPU was taken for one ({code}):\n{text}")


main()
