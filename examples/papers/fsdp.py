# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs of others with PyTorch FSDP and fused attention, on A100 and H100: tokens a second of a GPU, predicted."""

from rows import within

# MosaicML, llm-foundry, scripts/train/benchmarking/README.md, commit 061f2c7c: full sharding, bf16, sequences of 2048, FlashAttention;
# shapes by scripts/train/yamls and the parameters that the table prints. Sizes below 7B, and other sequences, are left out.
FOUNDRY = (  # layers, hidden, heads; GPUs, micro-batch; recompute; micro-batches and tokens/s, on A100 and on H100
    ("7B", (32, 4096, 32), 8, 6, "none", (2, "4641"), (1, "10643")),
    ("13B", (40, 5120, 40), 8, 2, "none", (3, "2262"), (1, "4792")),
    ("30B", (48, 7168, 56), 8, 3, "full", (21, "916"), (21, "2002")),
    ("70B", (80, 8192, 64), 64, 8, "full", (4, "410"), (4, "1039")),
)
# The most that was measured of any shape: S. Bekman, "Machine Learning Engineering", "Maximum Achievable Matmul FLOPS".
MATMULS = {"A100": "271.2TFLOP/s", "H100": "792.1TFLOP/s"}
ON_DEVICE = {"param": "device", "grad": "device", "master": "device", "moments": "device", "checkpoint": "device"}
FILES = {"A100": "dgx-a100", "H100": "dgx-h100"}
WHOLE = "matmuls at the rate of the best shape, and nothing of the framework's own: launches, hooks, a step's data"


def machine(tools, gpu, gpus, node_bandwidth):
    nodes = {"links__nodes": {"bandwidth": node_bandwidth / 8, "latency": "40us"}} if gpus > 8 else {}
    return tools.machine(FILES[gpu], ranks=None, nodes=gpus // 8, devices_per_node=8, device__flops__bf16=MATMULS[gpu],
                         device__fused_attention=True, **nodes)


def training(tools, gpus, micro, batches, sequence, recompute, **more):
    """Stage 3, one unit gathered for each layer, and blocks of attention that skip what a causal model never looks at."""
    return tools.training(gpus, micro, sequence, micro_batches=batches, zero_stage=3,
                          precision={"compute": "bf16"}, recompute=recompute, persistence=0, bucket="64MiB",
                          micro_batch_order="horizontal", placement=ON_DEVICE, tile={"attention": "256MiB"}, **more)


def tokens(tools, model, file, hardware, micro, batches, sequence):
    step = tools.step(model, file, hardware)
    if step is None:
        raise SystemExit(f"{model}: does not fit")
    return micro * batches * sequence / step["step_seconds"]


def foundry(tools):
    for name, shape, gpus, micro, recompute, *runs in FOUNDRY:
        for gpu, (batches, published) in zip(("A100", "H100"), runs, strict=True):
            rate = tokens(tools, tools.model(*shape, 2048, 50368),
                          training(tools, gpus, micro, batches, 2048, recompute),
                          machine(tools, gpu, gpus, {"A100": 200e9, "H100": 400e9}[gpu]), micro, batches, 2048)
            yield within(f"MPT {name}, {gpus} {gpu}, {batches} micro-batches of {micro}, recompute {recompute}: tokens/s a GPU",
                         published, [rate], 0.85, 1.15, WHOLE)


# IBM and PyTorch, foundation-model-stack/fms-fsdp, README.md, commit 0d319983: 128 A100 with 400 Gbit/s a node (its later table), bf16,
# sequences of 4096; HSDP: groups of a node hold copies.
LLAMA_2 = {  # layers, hidden, heads, heads of keys, inner; vocabulary of 32000
    "7B": (32, 4096, 32, 32, 11008), "13B": (40, 5120, 40, 40, 13824), "34B": (48, 8192, 64, 8, 22016),
    "70B": (80, 8192, 64, 8, 28672)}
FMS = (("7B", "HSDP", 2, "none", "3760"), ("13B", "HSDP", 1, "none", "1700"), ("34B", "FSDP", 8, "full", "772"),
       ("70B", "FSDP", 6, "full", "380"))


def fms(tools):
    hardware = machine(tools, "A100", 128, 50e9)
    for name, sharding, batch, recompute, published in FMS:
        groups = {"parallel": {"data": 128, "shard": 8}} if sharding == "HSDP" else {}
        rate = tokens(tools, tools.llama(*LLAMA_2[name], 32000, 4096),
                      training(tools, 128, batch, 1, 4096, recompute, **groups), hardware, batch, 1, 4096)
        yield within(f"Llama 2 {name}, 128 A100, {sharding}, batch {batch}, recompute {recompute}: tokens/s a GPU", published,
                     [rate], 0.85, 1.15, WHOLE)


# PyTorch, torchtitan, docs/performance.md, commit 04133643: 64 A100, FSDP2, bf16, sequences of 8192 (Llama 3) and 4096 (Llama 2). Rows with
# selective recomputation by operation are left out: which operations, the table does not say.
LLAMA_3 = {"8B": (32, 4096, 32, 8, 14336), "70B": (80, 8192, 64, 8, 28672)}  # vocabulary of 128256
TITAN = (("Llama 3 8B", LLAMA_3["8B"], 128256, 8192, 1, "layers:16", "2904"),
         ("Llama 3 70B", LLAMA_3["70B"], 128256, 8192, 1, "full", "331"),
         ("Llama 2 13B", LLAMA_2["13B"], 32000, 4096, 2, "none", "2162"),
         ("Llama 2 70B", LLAMA_2["70B"], 32000, 4096, 2, "full", "353"))


def titan(tools):
    hardware = machine(tools, "A100", 64, 200e9)
    for name, shape, vocabulary, sequence, batch, recompute, published in TITAN:
        rate = tokens(tools, tools.llama(*shape, vocabulary, sequence), training(tools, 64, batch, 1, sequence, recompute),
                      hardware, batch, 1, sequence)
        yield within(f"{name}, 64 A100, batch {batch}, recompute {recompute}: tokens/s a GPU", published, [rate], 0.85, 1.15,
                     WHOLE)


FIGURES = {"fsdp-mpt": ("MosaicML's MPT with FSDP", False, foundry),
           "fsdp-llama-2": ("IBM's and PyTorch's Llama 2 with FSDP", False, fms),
           "fsdp-titan": ("torchtitan's Llama 2 and 3 with FSDP", False, titan)}
