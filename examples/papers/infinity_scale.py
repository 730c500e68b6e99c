# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ZeRO-Infinity (2021): models of half a trillion to 32 trillion parameters on 64 to 512 GPUs.

Batches, model-parallel ranks and where states rest are those of the paper's Table 1; heads are of 128 (100 at 1T), which it does not
say. Throughputs are what the authors' chart shows (SC21 slides); the text rounds them. From 5T on queries, keys and values have matrices
of their own, for tiles of tensor ranks cut no matrix that holds all three.
"""

from infinity_speed import DEVICE, HOST_STATES, NVME_STATES, PINNED, tflops
from rows import printed, within

GPUS = 512
HOST_CHECKPOINTS = {**HOST_STATES, "checkpoint": "host"}
NVME = {"param": "nvme", "grad": "nvme", "master": "nvme", "moments": "nvme", "checkpoint": "host"}
FIGURE_5A = {  # layers, hidden, heads; model-parallel ranks, sequences for each GPU; states; TFLOP/s a GPU
    "0.5T": ((124, 18432, 144), 4, 7, HOST_CHECKPOINTS, "46.3"), "1T": ((128, 25600, 256), 4, 5, HOST_CHECKPOINTS, "48.9"),
    "5T": ((174, 49152, 384), 4, 3, NVME, "43.9"), "10T": ((200, 65536, 512), 4, 2, NVME, "42.7"),
    "20T": ((205, 90112, 704), 8, 1.25, NVME, "37.2")}
TILES = {"limit": "2GiB", "activation": "1GiB", "attention": "1GiB"}
CALIBRATED = "46.6TFLOP/s"  # of matmuls: the one rate that is calibrated, on one point, 1T
LINEAR = "8 would be linear; of steps at 70 TFLOP/s, so that nothing is calibrated"
WHY = {"0.5T": "matmuls at the calibrated rate, whatever their shape", "1T": "the point that the rate of matmuls is calibrated on"}


def training(tools, gpus, tensor, batch, placement, **tiles):
    """`batch` sequences for each GPU: a replica of `tensor` of them has all of theirs at once, and each a part of the checkpoints."""
    mesh = {"parallel": {"data": gpus // tensor, "tensor": tensor}, "sequence_parallel": False, "checkpoint_partition": True}
    return tools.training(gpus // tensor, round(batch * tensor), **{**PINNED, **mesh}, tile={**TILES, **tiles},
                          placement=placement)


def model(tools, shape):
    return (tools.model_in_parts if shape[1] > 40000 else tools.model)(*shape)


def figure_5a(tools):
    """1T rests on the devices there, 31.5 of 32 GB of each; here gradients and optimizer states are on the host. Planned at the
    paper's 70 TFLOP/s, simulated at the calibrated rate."""
    for name, (shape, tensor, batch, placement, published) in FIGURE_5A.items():
        tiles = {"limit": "1GiB", "activation": "512MiB"} if name == "20T" else {}  # else the device is 7 GiB short
        step = tools.step(model(tools, shape), training(tools, GPUS, tensor, batch, placement, **tiles),
                          tools.machine("dgx-2-cluster"), device__flops__f16=CALIBRATED)
        yield within(f"{name}, {GPUS} GPUs, model-parallel {tensor}, batch {batch} a GPU: TFLOP/s a GPU", published,
                     [tflops(*shape[:2], batch, step["step_seconds"])], 0.85, 1.15, WHY.get(name, ""))


def figure_5b(tools):
    """1T with as many sequences a node whatever their number. Gradients and optimizer states are on the disks: four nodes have no
    other room. The ratio is of steps at the paper's 70 TFLOP/s, for which they are planned: nothing in it is calibrated."""
    shape, tensor, batch, _, _ = FIGURE_5A["1T"]
    placement, uncalibrated = {**NVME_STATES, "grad": "nvme", "checkpoint": "host"}, {}
    for gpus, published in ((64, "2.81"), (512, "24.98")):
        steps = tools.steps_of_one_plan(tools.model(*shape), training(tools, gpus, tensor, batch, placement),
                                        tools.machine("dgx-2-cluster", nodes=gpus // 16), {"device__flops__f16": CALIBRATED}, {})
        found, uncalibrated[gpus] = (tflops(*shape[:2], batch, step["step_seconds"]) * gpus / 1000 for step in steps)
        yield within(f"1T, {gpus} GPUs: PFLOP/s", published, [found], 0.85, 1.15)
    yield within("1T, 512 GPUs: how many times the throughput of 64", "8.89", [uncalibrated[512] / uncalibrated[64]], 0.9, 1.1,
                 LINEAR)


def figure_1(tools):
    """Of 32T one micro-batch of four sequences: the figure says nothing of batches. Of 3D parallelism it names no shape: 1T's layers
    here, tensor ranks that fill a node, a stage on each node, and as many micro-batches of a sequence as stages."""
    shape, tensor = (203, 114688, 896), 16
    states = training(tools, GPUS, tensor, 4 / tensor, NVME)
    fits = tools.fits(tools.model_in_parts(*shape), states, tools.machine("dgx-2-cluster"))
    yield printed("32T (203 layers, hidden 114688), ZeRO-Infinity, 512 GPUs, model-parallel 16: fits (1) or not (0)", "1", [int(fits)])
    stages = GPUS // tensor
    on_devices = tools.training(1, 1, parallel={"data": 1, "tensor": tensor, "pipeline": stages}, micro_batches=stages, zero_stage=0,
                                pipeline={"schedule": "1f1b"}, recompute="full", sequence_parallel=False, placement=DEVICE)
    largest = tools.largest_hidden(tools.model(128, 20480, 160), on_devices, tools.machine("dgx-2-cluster"))
    yield within("3D parallelism, 512 GPUs, 16 tensor ranks x 32 stages, 128 layers: largest, billions", "650",
                 [largest["parameters"] / 1e9], 0.85, 1.15, "the paper names no shape, and has \"about\"")


FIGURES = {"infinity-1": ("Figure 1: the largest models on 512 GPUs", False, figure_1),
           "infinity-5a": ("Figure 5a: throughput of 512 GPUs", False, figure_5a),
           "infinity-5b": ("Figure 5b: one trillion parameters on 64 and 512 GPUs", False, figure_5b)}
