# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DeepSpeed ZeRO-3 Offload (announcement, March 2021)."""

from infinity_speed import HOST, seconds, tflops
from rows import capacity, within


CASES = (("ZeRO-2 Offload", "zero-offload", (4096, 32), "13", 32 / 2, ""),
         ("ZeRO-3 Offload", "zero-infinity-cpu", (8192, 64), "40", 1500 / 16,
          "the announcement's own bound is 75 at 20 bytes a parameter; what limits it to 40 it does not say"))


def one_gpu(tools):
    for name, strategy, shape, published, bound, why in CASES:
        what = f"{name} on one V100 of 32 GB with 1.5 TB: largest, billions"
        found = tools.largest(what, shape, tools.training(1, 1), tools.machine("v100-1.5tb"), strategy)
        yield capacity(what, published, found, bound, why)


def figure_3(tools):
    """Batch sizes are not published: 8 sequences."""
    for name, shape, published in (("10B", (50, 4096, 32), "48.4"), ("13B", (65, 4096, 32), "47.1"),
                                   ("20B", (25, 8192, 64), "45.9"), ("40B", (50, 8192, 64), "43.4")):
        took = seconds(tools, shape, 1, 8, tools.machine("v100-1.5tb"), HOST)
        yield within(f"{name}, one V100, ZeRO-3 Offload: TFLOP/s, batch 8", published, [tflops(*shape[:2], 8, took)], 0.85,
                     1.15, "batches are not published, and may shrink there as models grow")


FIGURES = {
    "offload-one-gpu": ("Model scale on a single GPU", True, one_gpu),
    "offload-3": ("Figure 3: throughput of one V100", False, figure_3),
}
