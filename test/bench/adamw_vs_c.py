"""Times the generated AdamW kernel against a plain in-place loop in C++, in turn, round after round.

    python adamw_vs_c.py [--build build/release] [--rounds 9]

Both update the same 16 Mi parameters on one thread (test/bench/KernelBench.cpp), far more than caches hold.
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
    text = subprocess.run([options.build / "bin/windlass_kernel_bench", "--benchmark_filter=^adamw(InC)?$",
                           f"--benchmark_repetitions={options.rounds}", "--benchmark_format=json",
                           "--benchmark_enable_random_interleaving=true"], capture_output=True, text=True, check=True)
    rates = {"adamw": [], "adamwInC": []}
    for run in json.loads(text.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            rates[run["run_name"]].append(run["items_per_second"])
    print(f"one thread, 16 Mi parameters, {options.rounds} rounds: median [range] in G parameters/s")
    for name, title in (("adamw", "generated"), ("adamwInC", "plain C++ loop")):
        rate = rates[name]
        print(f"  {title:<16} {statistics.median(rate) / 1e9:.3f} [{min(rate) / 1e9:.3f} to {max(rate) / 1e9:.3f}]")
    print(f"  generated is {statistics.median(rates['adamw']) / statistics.median(rates['adamwInC']):.2f} times as fast")


if __name__ == "__main__":
    main()
