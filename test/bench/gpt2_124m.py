# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GPT-2 124M trains 10 steps in 1.2 GiB: python gpt2_124m.py BIN_FOLDER [--steps N] [--text FOLDER] [--work FOLDER]

Its model states alone are 2.0 GB, so most of them must live on the disk. Fails if the process ever has more
than 1.2 GiB resident, if no state is on NVMe, or if the loss does not fall; prints the step time beside the
limits of the machine as probed. Needs 4 GB of disk in the work folder. Also a test of ctest: what it
promises of memory holds on any machine. What it trains are the bytes of a folder's text, given as tokens.
"""

import argparse
import json
import pathlib
import statistics
import tempfile

from measured_run import run, step_records

MODEL = pathlib.Path(__file__).parent / "gpt2-124m"
MOST_BYTES = int(1.2 * 2**30)


def limits(log):
    """The lines of the prediction: what a step takes, and how busy each lane is."""
    lines = log.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("prediction"))
    return "\n".join(lines[start : start + lines[start:].index("")])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--text", type=pathlib.Path, default="/usr/share/common-licenses")
    parser.add_argument("--work", type=pathlib.Path, default=None, help="folder for the plan and the NVMe tier")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        work = pathlib.Path(folder)
        machine, plan = work / "machine.json", work / "plan"
        run([arguments.bin / "windlass-probe", "--quick", "--onto", MODEL / "machine.json", "--nvme-folder", work, "-o", machine])
        compiled = run([arguments.bin / "windlass-compile", MODEL, "--training", MODEL / "training.json",
                        "--hardware", machine, "-o", plan])
        states = json.loads((plan / "plan.json").read_text())["programs"][0]["arenas"]
        assert any(arena["tier"] == "nvme" and arena["bytes"] > 0 for arena in states), "nothing lives on NVMe"
        tokens = work / "tokens.bin"
        texts = sorted({path.resolve() for path in arguments.text.iterdir()})
        tokens.write_bytes(b"".join(text.read_bytes() for text in texts))
        trained = run([arguments.bin / "windlass-run", plan, "--data", tokens, "--token-type", "u8", "--steps",
                       arguments.steps, "--resume", "off", "--quiet", "--out", work / "out", "--checkpoint-every", 0])
        records = step_records(work / "out" / "metrics.jsonl")
    steps = [record["step_time_s"] for record in records]
    losses = [record["loss"] for record in records]
    print(f"compile       {compiled.seconds:.1f} s, {compiled.peak_bytes / 2**20:.0f} MiB")
    print(limits(compiled.output))
    print(f"measured      {statistics.median(steps):.2f} s a step, median of {len(steps)} "
          f"[{min(steps):.2f} to {max(steps):.2f}]")
    print(f"loss          {losses[0]:.2f} to {losses[-1]:.2f}")
    print(f"peak memory   {trained.peak_bytes / 2**20:.0f} MiB resident, at most {MOST_BYTES / 2**20:.0f}")
    assert len(steps) == arguments.steps and losses[-1] < losses[0], "the loss does not fall"
    assert trained.peak_bytes <= MOST_BYTES, "more memory than promised"


if __name__ == "__main__":
    main()
