# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ZeRO-Infinity (2021): models of half a trillion and a trillion parameters on 512 GPUs.

Batches, model-parallel ranks and where states rest are those of the paper's Table 1; heads are of 128 (100 at 1T), which it does
not say. Throughputs are what the authors' chart shows (SC21 slides); the text rounds them.
"""

from infinity_speed import HOST_STATES, PINNED, tflops
from rows import within

# layers, hidden, heads; model-parallel ranks, sequences for each GPU; TFLOP/s a GPU
FIGURE_5A = {"0.5T": ((124, 18432, 144), 4, 7, "46.3"), "1T": ((128, 25600, 256), 4, 5, "48.9")}
GPUS = 512
PLACEMENT = {**HOST_STATES, "checkpoint": "host"}
TILES = {"tile": {"limit": "2GiB", "activation": "1GiB", "attention": "1GiB"}}
CALIBRATED = "46.6TFLOP/s"  # of matmuls: the one rate that is calibrated, on one point, 1T
WHY = {"0.5T": "matmuls at the calibrated rate, whatever their shape", "1T": "the point that the rate of matmuls is calibrated on"}


def training(tools, tensor, batch):
    """`batch` sequences for each GPU: a replica of `tensor` of them has all of theirs at once, and each a part of the checkpoints."""
    mesh = {"parallel": {"data": GPUS // tensor, "tensor": tensor}, "sequence_parallel": False, "checkpoint_partition": True}
    return tools.training(GPUS // tensor, round(batch * tensor), **{**PINNED, **mesh, **TILES}, placement=PLACEMENT)


def figure_5a(tools):
    """1T rests on the devices there, 31.5 of 32 GB of each; here gradients and optimizer states are on the host. Planned at the
    paper's 70 TFLOP/s, simulated at the calibrated rate."""
    for name, (shape, tensor, batch, published) in FIGURE_5A.items():
        step = tools.step(tools.model(*shape), training(tools, tensor, batch), tools.machine("dgx-2-cluster"),
                          device__flops__f16=CALIBRATED)
        yield within(f"{name}, {GPUS} GPUs, model-parallel {tensor}, batch {batch} a GPU: TFLOP/s a GPU", published,
                     [tflops(*shape[:2], batch, step["step_seconds"])], 0.85, 1.15, WHY[name])


FIGURES = {"infinity-5a": ("Figure 5a: throughput of 512 GPUs", False, figure_5a)}
