# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DeepSpeed ZeRO-3 Offload (announcement, March 2021)."""

from rows import capacity


CASES = (("ZeRO-2 Offload", "zero-offload", (4096, 32), "13", 32 / 2, ""),
         ("ZeRO-3 Offload", "zero-infinity-cpu", (8192, 64), "40", 1500 / 16,
          "the announcement's own bound is 75 at 20 bytes a parameter; what limits it to 40 it does not say"))


def one_gpu(tools):
    for name, strategy, shape, published, bound, why in CASES:
        what = f"{name} on one V100 of 32 GB with 1.5 TB: largest, billions"
        found = tools.largest(what, shape, tools.training(1, 1), tools.machine("v100-1.5tb"), strategy)
        yield capacity(what, published, found, bound, why)


FIGURES = {"offload-one-gpu": ("Model scale on a single GPU", True, one_gpu)}
