# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reducing Activation Recomputation in Large Transformer Models (2022), by lecture slides on it."""

from rows import printed, within

MODELS = {  # heads, hidden, layers; 5as/h; % of tensor parallelism's bytes: sequence, selective, both, full
    "22B": (64, 6144, 48, "106.7 / 66.8 / 49.4 / 16.1 / 7.6"),
    "175B": (96, 12288, 96, "80 / 62.0 / 56.5 / 18.5 / 8.7"),
    "530B": (128, 20480, 105, "64 / 58.3 / 61.9 / 20.2 / 9.5"),
    "1T": (160, 25600, 128, "64 / 58.3 / 61.9 / 20.2 / 9.5"),
}
SEQUENCE, TENSOR = 2048, 8


def activations(tools):
    for name, (heads, hidden, layers, published) in MODELS.items():
        model = tools.model(layers, hidden, heads, SEQUENCE, 51200)
        table = tools.analyse(tools.machine("selene"), model, tools.training(512, 1, SEQUENCE))["activations_of_a_layer"]
        column = table["tensor_ranks"].index(TENSOR)
        whole = {row["recompute"]: row["bytes"] for row in table["rows"]}
        ofRank = {recompute: values[column] for recompute, values in whole.items()}
        attention = (whole["none"][0] - whole["selective"][0]) / (SEQUENCE * hidden)
        shares = [100 * ofRank[what] / ofRank["none"]
                  for what in ("none, sequence-parallel", "selective", "selective, sequence-parallel", "full")]
        yield printed(f"{name}: 5as/h; then % of the bytes of tensor parallelism over 8 ranks: sequence-parallel, "
                      "selective, both, full", published, [attention, *shares])


# What a layer's forward and backward pass take on 8 A100 (milliseconds), and a step of the whole model (seconds), of 22B with a
# micro-batch of 4. A plan never keeps the core of attention, so that without recomputation it does what is called selective there.
# Steps of 175B and 530B are of 64 and 280 micro-batches over 8 and 35 stages of 3 parts each. 1T, in 64 stages, is left out.
FEW, MORE, BATCH, RATE = 2, 6, 4, "271.2TFLOP/s"
STAGES = {"175B": (8, 64), "530B": (35, 280)}  # stages, micro-batches
PARTS = 3
OVERLAPPED = "sums of tensor ranks overlap here under interleaved stages, and all matmuls go at the rate of the best shape"
NORMS = "norms, residuals and sums of tensor ranks take more of a layer here, so that rows of their own save more"


def seconds(tools, layers, recompute, sequence_parallel):
    """Of a step. Sums of tensor ranks are waited for, as there."""
    heads, hidden, _, _ = MODELS["22B"]
    training = tools.training(1, BATCH, SEQUENCE, parallel={"data": 1, "tensor": TENSOR}, micro_batches=1, zero_stage=0,
                              recompute=recompute, bucket="64MiB", sequence_parallel=sequence_parallel, overlap=False)
    machine = tools.machine("selene", nodes=1, backend="cpu", device__flops__f16=RATE)
    return tools.step(tools.model(layers, hidden, heads, SEQUENCE, 51200), training, machine)["step_seconds"]


def seconds_in_stages(tools, model, recompute, sequence_parallel):
    """Of a step with a micro-batch of 1. Sums of tensor ranks overlap, as under interleaved stages of runs.py."""
    heads, hidden, layers, _ = MODELS[model]
    stages, micro_batches = STAGES[model]
    training = tools.training(1, 1, SEQUENCE, parallel={"data": 1, "tensor": TENSOR, "pipeline": stages},
                              micro_batches=micro_batches, zero_stage=0, recompute=recompute, bucket="64MiB",
                              micro_batch_order="horizontal", sequence_parallel=sequence_parallel,
                              pipeline={"schedule": "interleaved", "chunks": PARTS})
    machine = tools.machine("selene", nodes=stages, backend="cpu", device__flops__f16=RATE)
    return tools.step(tools.model(layers, hidden, heads, SEQUENCE, 51200), training, machine)["step_seconds"]


def of_a_layer(tools):
    for what, published, recompute, own_rows, why in (("selective", "20.9", "none", False, ""),
                                                      ("selective, sequence-parallel", "20.3", "none", True, NORMS),
                                                      ("full", "27.2", "full", False, "")):
        took = [seconds(tools, layers, recompute, own_rows) for layers in (FEW, MORE)]
        yield within(f"22B: forward and backward pass of a layer, recompute {what}: ms", published,
                     [1000 * (took[1] - took[0]) / (MORE - FEW)], 0.85, 1.15, why)


def of_a_step(tools):
    layers = MODELS["22B"][2]
    full, both = seconds(tools, layers, "full", False), seconds(tools, layers, "none", True)
    yield within("22B, 8 A100: a step, recompute full: s", "1.42", [full], 0.85, 1.15)
    yield within("22B, 8 A100: a step, recompute selective, sequence-parallel: s", "1.10", [both], 0.85, 1.15, NORMS)
    yield within("22B, 8 A100: more throughput than with recompute full: %", "29.0", [100 * (full / both - 1)], 0.85, 1.15, NORMS)
    yield from in_stages(tools, "175B", "18.13", "13.75", "31.8", OVERLAPPED)


def in_stages(tools, model, full_seconds, both_seconds, gain, why):
    what = f"{model}, {TENSOR * STAGES[model][0]} A100"
    full, both = seconds_in_stages(tools, model, "full", False), seconds_in_stages(tools, model, "none", True)
    yield within(f"{what}: a step, recompute full: s", full_seconds, [full], 0.85, 1.15)
    yield within(f"{what}: a step, recompute selective, sequence-parallel: s", both_seconds, [both], 0.85, 1.15, why)
    yield within(f"{what}: more throughput than with recompute full: %", gain, [100 * (full / both - 1)], 0.85, 1.15)


def of_many_stages(tools):
    yield from in_stages(tools, "530B", "49.05", "37.83", "29.7", "")


FIGURES = {"recomputation-activations": ("Activations of a layer", True, activations),
           "recomputation-layer": ("Execution time of a layer", False, of_a_layer),
           "recomputation-step": ("End-to-end iteration time", False, of_a_step),
           "recomputation-530B": ("End-to-end iteration time of 35 stages", False, of_many_stages)}
