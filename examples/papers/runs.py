# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of others: what was published of training runs, predicted. Nothing is fitted to them."""

from rows import within

# Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (2021), Table 1; micro-batches and
# parts of the model on each stage are those of its scripts (NVIDIA/Megatron-LM, examples/sc21/run_table_1.sh). Its last row, 1T on 3,072,
# is left out: to plan 64 stages takes longer than all others together.
MEGATRON = (  # billions; layers, hidden, heads; tensor, pipeline, GPUs; batch, micro-batch; parts; TFLOP/s a GPU
    ("1.7B", (24, 2304, 24), (1, 1, 32), (512, 16), 1, "137"),
    ("3.6B", (30, 3072, 32), (2, 1, 64), (512, 16), 1, "138"),
    ("7.5B", (36, 4096, 32), (4, 1, 128), (512, 16), 1, "142"),
    ("18.4B", (40, 6144, 48), (8, 1, 256), (1024, 8), 1, "135"),
    ("39.1B", (48, 8192, 64), (8, 2, 512), (1536, 4), 1, "138"),
    ("76.1B", (60, 10240, 80), (8, 4, 1024), (1792, 2), 3, "140"),
    ("145.6B", (80, 12288, 96), (8, 8, 1536), (2304, 2), 2, "148"),
    ("310.1B", (96, 16384, 128), (8, 16, 1920), (2160, 1), 2, "155"),
    ("529.6B", (105, 20480, 128), (8, 35, 2520), (2520, 1), 3, "163"),
)
SEQUENCE, VOCABULARY = 2048, 51200
WHOLE_LAYERS = "all matmuls go at the rate of the best shape here, those of an eighth of a layer, too"
HIDDEN = "the same; and sums of tensor ranks under weight gradients, which the run could not"
LAYER_A_PART = "each of three parts of a stage is one layer; what the step waits for beyond its bubble is not known"


def stages(tools, tensor, pipeline, gpus, batch, micro, parts):
    """Layers repeated, states whole on each data rank, as there. Tensor ranks waited for their sums (weight gradients beside them came
    later), and gradients were summed after the backward pass (DDP=local in the scripts; "torch", without stages, sums them under it,
    which is 5 % of a step at most and here stands behind it). Only interleaved stages overlap: without, one of them waits here
    until the other takes its message."""
    data = gpus // tensor // pipeline
    more = {"sequence_parallel": False} if tensor > 1 else {}
    if parts > 1:
        more["pipeline"] = {"schedule": "interleaved", "chunks": parts}
    elif pipeline > 1:
        more["pipeline"] = {"schedule": "1f1b"}
    if parts == 1 and tensor > 1:
        more["overlap"] = False
    return tools.training(data, micro, SEQUENCE, parallel={"data": data, "tensor": tensor, "pipeline": pipeline},
                          micro_batches=batch // data // micro, zero_stage=0, recompute="full", bucket="64MiB",
                          micro_batch_order="horizontal", **more)


def megatron(tools):
    """Every matmul at the rate that some shape was measured at."""
    for name, shape, mesh, (batch, micro), parts, published in MEGATRON:
        tensor, pipeline, gpus = mesh
        machine = tools.machine("selene", nodes=gpus // 8, backend="cpu", device__flops__f16="271.2TFLOP/s")
        took = tools.step(tools.model(*shape, SEQUENCE, VOCABULARY), stages(tools, *mesh, batch, micro, parts), machine)["step_seconds"]
        layers, hidden, _ = shape
        flop = 96 * batch * SEQUENCE * layers * hidden**2
        flop *= 1 + SEQUENCE / (6 * hidden) + VOCABULARY / (16 * layers * hidden)
        yield within(f"{name}: tensor {tensor}, pipeline {pipeline}, {gpus} A100, batch {batch} by {micro}: TFLOP/s a GPU",
                     published, [flop / took / gpus / 1e12], 0.85, 1.15,
                     LAYER_A_PART if layers == pipeline * parts else HIDDEN if parts > 1 else WHOLE_LAYERS)


FIGURES = {"megatron-table-1": ("Megatron-LM on Selene, Table 1: throughput with data, tensor and pipeline parallelism", False,
                                megatron)}
