# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DeepSpeed ZeRO-3 Offload (announcement, March 2021)."""

from infinity_scale import CALIBRATED
from infinity_speed import HOST, HOST_STATES, PINNED, tflops
from rows import capacity, within


CASES = (("ZeRO-2 Offload", "zero-offload", (4096, 32), "13", 32 / 2, ""),
         ("ZeRO-3 Offload", "zero-infinity-cpu", (8192, 64), "40", 1500 / 16,
          "the announcement's own bound is 75 at 20 bytes a parameter; what limits it to 40 it does not say"))


def one_gpu(tools):
    for name, strategy, shape, published, bound, why in CASES:
        what = f"{name} on one V100 of 32 GB with 1.5 TB: largest, billions"
        found = tools.largest(what, shape, tools.training(1, 1), tools.machine("v100-1.5tb"), strategy)
        yield capacity(what, published, found, bound, why)


OWN_PAPER = "batches are not published; of 10B ZeRO-Offload's own paper has 40 TFLOP/s (its abstract)"
SHAPES = {"10B": (50, 4096, 32), "13B": (65, 4096, 32), "20B": (25, 8192, 64), "40B": (50, 8192, 64)}
FIGURE_3 = (("ZeRO-3 Offload", HOST, {"10B": "48.4", "13B": "47.1", "20B": "45.9", "40B": "43.4"}),
            ("ZeRO-2 Offload", HOST_STATES, {"10B": "29.7", "13B": "20.2"}))


def figure_3(tools):
    """Batches are not published: the announcement speaks of "larger batch size", so the largest that the device holds beside its
    checkpoints. A larger model then has a smaller batch, under which its update weighs more. Matmuls at the rate that 1T on 512
    GPUs was calibrated to, in another paper."""
    machine = tools.machine("v100-1.5tb")
    for system, states, rows in FIGURE_3:
        placement = {**states, "checkpoint": "device"}
        for name, published in rows.items():
            model = tools.model(*SHAPES[name])
            batch = tools.largest_batch(model, tools.training(1, 1, **PINNED, placement=placement), machine)
            step = tools.step(model, tools.training(1, batch, **PINNED, placement=placement), machine,
                              device__flops__f16=CALIBRATED)
            yield within(f"{name}, one V100, {system}: TFLOP/s at the largest batch, {batch}", published,
                         [tflops(*SHAPES[name][:2], batch, step["step_seconds"])], 0.85, 1.15,
                         OWN_PAPER if system == "ZeRO-2 Offload" else "batches are not published")


FIGURES = {
    "offload-one-gpu": ("Model scale on a single GPU", True, one_gpu),
    "offload-3": ("Figure 3: throughput of one V100", False, figure_3),
}
