# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the generated AdamW kernel against a C++ loop and a plain in-place stream, in turn, round after round.

    python adamw_vs_c.py [--build build/release] [--rounds 9]

All pass over the same 16 Mi parameters on one thread (test/bench/KernelBench.cpp), far more than caches hold.
The loop (test/bench/PlainLoops.cpp) is compiled for this very processor; the stream moves the same bytes,
12 read and written and 4 read a parameter, with three additions: what memory allows.
Prints medians and ranges in parameters a second; asserts nothing.
"""

import argparse
import json
import pathlib
import statistics
import subprocess


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default="build/release")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    text = subprocess.run([options.build / "bin/windlass_kernel_bench", "--benchmark_filter=^adamw(InC|Bytes)?$",
                           f"--benchmark_repetitions={options.rounds}", "--benchmark_format=json",
                           "--benchmark_enable_random_interleaving=true"], capture_output=True, text=True, check=True)
    titles = {"adamw": "generated", "adamwInC": "C++ loop", "adamwBytes": "in-place stream"}
    rates = {name: [] for name in titles}
    for run in json.loads(text.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            rates[run["run_name"]].append(run["items_per_second"])
    print(f"one thread, 16 Mi parameters, {options.rounds} rounds: median [range] in G parameters/s")
    generated = statistics.median(rates["adamw"])
    for name, title in titles.items():
        median = statistics.median(rates[name])
        ratio = "" if name == "adamw" else f"  generated is {generated / median:.2f} times as fast"
        print(f"  {title:<16} {median / 1e9:.3f} [{min(rates[name]) / 1e9:.3f} to {max(rates[name]) / 1e9:.3f}]{ratio}")


if __name__ == "__main__":
    main()
