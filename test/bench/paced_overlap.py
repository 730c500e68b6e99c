# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What overlap is worth on slow links: python paced_overlap.py BIN_FOLDER NVME_FOLDER [--rounds 5] [--steps 12] [--processes 1]

examples/gpt2-bytes on the machine as probed, but with links so slow that transfers take 60 to 90 % of the time that
computation takes (`windlass-run --pace`), with and without overlap, in turn, round after round. Prints the medians over
rounds of a run's median step, each over the time in which the first plan's busiest lane has work, and what was hidden;
asserts nothing. OverlapTest asserts the same of the simulated step.
"""

import argparse
import json
import pathlib
import re
import statistics
import tempfile

from measured_run import busiest_lane, run, step_seconds

MODEL = pathlib.Path(__file__).parents[2] / "examples" / "gpt2-bytes"
SKIPPED = 2  # steps that warm caches
LINKS = {"links": {"cg": {"in": "6GB/s", "out": "6GB/s"}, "gg": {"bandwidth": "5GB/s"}},
         "nvme": {"read": "2GB/s", "write": "1.8GB/s"}}


def slow_machine(folder, options):
    """The probed machine with our links in place of its own."""
    run([options.bin / "windlass-probe", "--quick", "--onto", MODEL / "machine.json", "-o", folder / "probed.json"])
    machine = json.loads((folder / "probed.json").read_text())
    machine["links"] = LINKS["links"]
    machine["nvme"].update(LINKS["nvme"])
    machine["measured"] = {path: rate for path, rate in machine["measured"].items()
                           if not path.startswith(("links.", "nvme."))}
    (folder / "machine.json").write_text(json.dumps(machine))
    return folder / "machine.json"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    limits, hidden, steps = {}, {}, {"on": [], "off": []}
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        machine = slow_machine(work, options)
        for overlap in steps:
            text = run([options.bin / "windlass-compile", MODEL, "--training", MODEL / "training.json", "--hardware",
                        machine, "--overlap", overlap, "-o", work / overlap]).output
            limits[overlap] = busiest_lane(text)
        for _ in range(options.rounds):
            for overlap in steps:
                report = run([options.bin / "windlass-run", work / overlap, "--data", "synthetic", "--steps",
                              options.steps, "--resume", "off", "--out", work / "out", "--checkpoint-every", 0,
                              "--nvme-folder", options.folder, "--metrics", work / "metrics", "--pace", machine,
                              "--ranks", options.processes]).output
                hidden[overlap] = re.search(r"transfers hidden +(\d+ %)", report).group(1)
                steps[overlap].append(statistics.median(step_seconds(work / "metrics")[SKIPPED:]))
    limit, lane = limits["on"]
    print(f"busiest lane ({lane}) {limit * 1e3:.1f} ms")
    for overlap, medians in steps.items():
        middle = statistics.median(medians)
        print(f"overlap {overlap:<4} {middle * 1e3:8.1f} ms a step   [{min(medians) * 1e3:.1f} to "
              f"{max(medians) * 1e3:.1f}, {len(medians)} rounds]   {middle / limit:.2f} of it   {hidden[overlap]} hidden")


if __name__ == "__main__":
    main()
