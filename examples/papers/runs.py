# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of others: what was published of training runs, predicted. Nothing is fitted to them."""

from rows import within

# Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (2021), Table 1;
# micro-batches of its scripts (NVIDIA/Megatron-LM, examples/sc21/run_table_1.sh). Its last row, 1T on 3,072, is left out:
# to plan 64 stages takes longer than all others together.
MEGATRON = (  # billions; layers, hidden, heads; tensor, pipeline, GPUs; batch, micro-batch; TFLOP/s a GPU
    ("1.7B", (24, 2304, 24), (1, 1, 32), (512, 16), "137"),
    ("3.6B", (30, 3072, 32), (2, 1, 64), (512, 16), "138"),
    ("7.5B", (36, 4096, 32), (4, 1, 128), (512, 16), "142"),
    ("18.4B", (40, 6144, 48), (8, 1, 256), (1024, 8), "135"),
    ("39.1B", (48, 8192, 64), (8, 2, 512), (1536, 4), "138"),
    ("76.1B", (60, 10240, 80), (8, 4, 1024), (1792, 2), "140"),
    ("145.6B", (80, 12288, 96), (8, 8, 1536), (2304, 2), "148"),
    ("310.1B", (96, 16384, 128), (8, 16, 1920), (2160, 1), "155"),
    ("529.6B", (105, 20480, 128), (8, 35, 2520), (2520, 1), "163"),
)
SEQUENCE, VOCABULARY = 2048, 51200
WHOLE_LAYERS = "all matmuls go at the rate of the best shape here, those of an eighth of a layer, too"
NOT_INTERLEAVED = "1F1B without interleaved stages, which the paper's runs from 76B to 530B have"


def megatron(tools):
    """Layers repeated, states whole on each data rank, as there; every matmul at the rate that some shape was measured at."""
    for name, shape, (tensor, pipeline, gpus), (batch, micro), published in MEGATRON:
        data = gpus // tensor // pipeline
        mesh = {"data": data, "tensor": tensor, "pipeline": pipeline}
        more = {"sequence_parallel": False} if tensor > 1 else {}
        training = tools.training(data, micro, SEQUENCE, parallel=mesh, micro_batches=batch // data // micro, zero_stage=0,
                                  recompute="full", bucket="64MiB", micro_batch_order="horizontal", **more)
        machine = tools.machine("selene", nodes=gpus // 8, backend="cpu", device__flops__f16="271.2TFLOP/s")
        took = tools.step(tools.model(*shape, SEQUENCE, VOCABULARY), training, machine)["step_seconds"]
        layers, hidden, _ = shape
        flop = 96 * batch * SEQUENCE * layers * hidden**2
        flop *= 1 + SEQUENCE / (6 * hidden) + VOCABULARY / (16 * layers * hidden)
        yield within(f"{name}: tensor {tensor}, pipeline {pipeline}, {gpus} A100, batch {batch} by {micro}: TFLOP/s a GPU",
                     published, [flop / took / gpus / 1e12], 0.85, 1.15, WHOLE_LAYERS if pipeline == 1 else NOT_INTERLEAVED)


FIGURES = {"megatron-table-1": ("Megatron-LM on Selene, Table 1: throughput with data, tensor and pipeline parallelism", False,
                                megatron)}
