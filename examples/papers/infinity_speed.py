# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ZeRO-Infinity (2021): throughputs. Each plan has its decisions given, so that rows differ in what the figure is about."""

from rows import ratio, within

PINNED = {"zero_stage": 3, "recompute": "full", "bucket": "64MiB", "persistence": 0, "micro_batch_order": "horizontal"}
DEVICE = {"param": "device", "grad": "device", "master": "device", "moments": "device"}
HOST = {"param": "host", "grad": "host", "master": "host", "moments": "host"}
HOST_STATES = {**DEVICE, "grad": "host", "master": "host", "moments": "host"}
NVME_STATES = {**HOST, "master": "nvme", "moments": "nvme"}
SEQUENCE, VOCABULARY = 1024, 50257
FIRST_PRINCIPLES = "matmuls go at 70 TFLOP/s here, the most that the paper saw: what it measured is 30 to 45 % slower"
OF_A_STEP = "of a step; the paper's is of its backward pass"
UNEVEN = "; here the owner with most sends 19 % more to the host than a rank with its pieces does"
COPIES = "as the framework copies, where a plan's copies are hidden; they grow with the hidden size, computation with its square"


def tflops(layers, hidden, batch, seconds):
    """A GPU's, with the layers repeated, as the papers count them."""
    flop = 96 * batch * SEQUENCE * layers * hidden**2
    return flop * (1 + SEQUENCE / (6 * hidden) + VOCABULARY / (16 * layers * hidden)) / seconds / 1e12


def seconds(tools, shape, ranks, batch, machine, placement, **more):
    """Of a step; no figure asks of a plan that does not fit."""
    training = tools.training(ranks, batch, **PINNED, placement=placement, **more)
    step = tools.step(tools.model(*shape), training, machine)
    if step is None:
        raise SystemExit(f"{shape} on {ranks} ranks, batch {batch}: does not fit")
    return step["step_seconds"]


TILES = {"tile": {"activation": "1GiB", "attention": "1GiB"}}  # where a layer's own memory is the limit


def figure_5c(tools):
    """A lower bound is published: more than 40."""
    away = {**NVME_STATES, "checkpoint": "host"}
    cases = (("10B", (50, 4096, 32), 8, DEVICE, {}), ("50B", (62, 8192, 64), 26, away, TILES),
             ("100B", (125, 8192, 64), 24, away, TILES))
    for name, shape, batch, placement, more in cases:
        took = seconds(tools, shape, 16, batch, tools.machine("dgx-2"), placement, **more)
        yield within(f"{name}, one DGX-2, batch {batch}: TFLOP/s a GPU (\"over 40\")", "40",
                     [tflops(*shape[:2], batch, took)], 1.0, 1.75, FIRST_PRINCIPLES)


def figure_6c(tools):
    """Optimizer states and gradients on the host; parameters in pieces on every device, or whole on their owner's."""
    shape, published = (10, 8192, 16), {4: "0.97", 16: "1.47", 32: "1.77", 64: "1.88"}
    for ranks, times in published.items():
        machine = tools.machine("dgx-2-cluster", nodes=max(1, ranks // 16), devices_per_node=min(16, ranks))
        shared = seconds(tools, shape, ranks, 2, machine, HOST_STATES)
        owners = seconds(tools, shape, ranks, 2, machine, HOST_STATES, gather="broadcast")
        yield ratio(f"8B, {ranks} GPUs, batch 2: how many times faster pieces on all links are than owners", times,
                    owners / shared, 0.85, 1.15, OF_A_STEP + (UNEVEN if ranks == 4 else ""))


def figure_6d(tools):
    shape, machine = (10, 8192, 16), tools.machine("dgx-2-cluster", nodes=4)
    for batch, times in ((2, "1.29"), (4, "1.19"), (8, "1.09"), (10, "1.055"), (14, "1.01"), (16, "1.02")):
        beside, after = (seconds(tools, shape, 64, batch, machine, HOST_STATES, overlap=overlap)
                         for overlap in (True, False))
        yield ratio(f"8B, 64 GPUs, batch {batch}: how many times faster overlap makes a step", times, after / beside, 0.85, 1.15,
                    "states on the host, as Table 8's runs have them: Table 7 does not say")


def figure_6e(tools):
    """DeepSpeed copies checkpoints by `partition.cpu()` (deepspeed/runtime/activation_checkpointing), under nothing: a step
    takes so much longer as one without overlap does."""
    machine = tools.machine("dgx-2-cluster", nodes=2)
    for hidden, times in ((2048, "1.205"), (8192, "1.22"), (16384, "1.195")):
        def asked(tier, **more):
            return seconds(tools, (5, hidden, 16), 32, 4, machine, {**HOST_STATES, "checkpoint": tier}, **more)
        here, copies = asked("device"), asked("host", overlap=False) - asked("device", overlap=False)
        yield ratio(f"hidden {hidden}, 5 layers, 32 GPUs, batch 4: how many times longer a step with checkpoints on the "
                    "host takes", times, 1 + copies / here, 0.85, 1.15, COPIES)


FIGURES = {
    "infinity-5c": ("Figure 5c: throughput of one node", False, figure_5c),
    "infinity-6c": ("Figure 6c: pieces on all links, or owners", False, figure_6c),
    "infinity-6d": ("Figure 6d: overlap", False, figure_6d),
    "infinity-6e": ("Figure 6e: checkpoints on the host", False, figure_6e),
}
