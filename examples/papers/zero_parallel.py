# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ZeRO (first version, October 2019): what it measured beside model parallelism.

Both systems multiplied by a cuBLAS before version 11, which gave the matrix units of a V100 the products whose sizes are all
multiples of 8, and no other (NVIDIA, "Matrix Multiplication Background", Sec. 2.2; CUDA 11 came in 2020). The 20B model has heads of
119, and of its hidden size of 3808 a rank of sixteen has 238.
"""

from rows import printed, ratio, within

DEVICE = {"param": "device", "grad": "device", "master": "device", "moments": "device", "checkpoint": "device"}
MODELS = {  # layers, hidden, heads
    "8B": (72, 3072, 24), "20B": (111, 3808, 32), "40B": (88, 6144, 32), "60B": (132, 6144, 32), "80B": (173, 6144, 32),
    "100B": (317, 5120, 80)}
ZERO = {  # model-parallel x data-parallel, batch of a replica; TFLOP/s a GPU (Table 5)
    "8B": (4, 100, 24, "38"), "20B": (4, 100, 8, "27"), "40B": (8, 48, 8, "29"), "60B": (16, 24, 8, "20"),
    "80B": (16, 25, 8, "17"), "100B": (16, 25, 4, "7")}
MEGATRON = {"8B": (8, 50, 8), "20B": (16, 25, 4), "40B": (16, 24, 1), "60B": (16, 24, 1), "80B": (16, 25, 1), "100B": (16, 25, 1)}
ACROSS = {"40B": (32, 12, 4)}
SEQUENCE, VOCABULARY = 1024, 50257
OPTIMISTIC = "matmuls of multiples of 8 go at 70 TFLOP/s; how far ZeRO-OS was from that, the paper does not say"
BASELINE = "Megatron's own 23, 9 and 4.92 TFLOP/s are 0.67, 0.67 and 0.37 of what these links and matmuls allow; ZeRO's 0.67 to 0.75"
ON_PCIE = "how Megatron's ranks reached each other there, the paper does not say: here through the host's memory, at 6 GB/s"


def training(tools, tensor, data, batch, stage):
    """Nothing overlaps: ZeRO stage 1 learnt to in May 2021 (github.com/microsoft/DeepSpeed, pull request 1042), Megatron-LM's gradients
    were summed after the backward pass, and a tensor rank waits for what it needs next. ZeRO-OS gives all ranks the whole sum of
    gradients (Sec. 9.1: 1.5 times the traffic)."""
    more = {"reduce": "all"} if stage == 1 else {}
    return tools.training(data, batch, parallel={"data": data, "tensor": tensor}, zero_stage=stage, recompute="full",
                          bucket="64MiB", persistence=0, micro_batch_order="horizontal", sequence_parallel=False, placement=DEVICE,
                          overlap=False, **more)


def machine(tools, tensor, data):
    return tools.machine("dgx-2-cluster", nodes=tensor * data // 16, device__matmul_multiple=8)


def model(tools, shape, tensor):
    """Megatron-LM pads the vocabulary to 128 words for each tensor rank (`make_vocab_size_divisible_by`)."""
    padded = -(-VOCABULARY // (128 * tensor)) * 128 * tensor
    return tools.model(*shape, vocabulary=padded)


def samples(tools, name, config, stage):
    """A second."""
    tensor, data, batch = config
    step = tools.step(model(tools, MODELS[name], tensor), training(tools, *config, stage), machine(tools, tensor, data))
    return data * batch / step["step_seconds"]


def flop(name):
    """Of a sample, with its layers repeated."""
    layers, hidden, _ = MODELS[name]
    return 96 * SEQUENCE * layers * hidden**2 * (1 + SEQUENCE / (6 * hidden) + VOCABULARY / (16 * layers * hidden))


def table_5(tools):
    for name, (*config, published) in ZERO.items():
        rate = samples(tools, name, config, 1) * flop(name) / (config[0] * config[1]) / 1e12
        yield within(f"{name}, ZeRO stage 1, MP {config[0]} x DP {config[1]}, batch {config[2]}: TFLOP/s a GPU", published,
                     [rate], 0.85, 1.15, OPTIMISTIC)


def table_5_memory(tools):
    """Megatron inside a node: 20B is the largest that fits."""
    for name, config in MEGATRON.items():
        fits = tools.fits(model(tools, MODELS[name], config[0]), training(tools, *config, 0), machine(tools, *config[:2]),
                          "data-parallel")
        yield printed(f"{name}, Megatron, MP {config[0]} x DP {config[1]}, batch {config[2]}: fits (1) or not (0)",
                      "1" if name in ("8B", "20B") else "0", [int(fits)])


def table_7(tools):
    """On 8 nodes of 4 GPUs of 16 GB, on PCIe and 40 Gbit/s."""
    azure = tools.machine("azure-nc24rs-v3", device__matmul_multiple=8)
    rates = []
    for tensor, data, stage in ((1, 32, 1), (4, 8, 0)):
        step = tools.step(model(tools, (48, 1600, 16), tensor), training(tools, tensor, data, 8, stage), azure)
        rates.append(data * 8 / step["step_seconds"])
    yield ratio("1.5B on 32 GPUs of 16 GB: how many times the samples a second of Megatron (MP 4 x DP 8, batch 8) ZeRO has "
                "(MP 1 x DP 32, batch 8)", "3.75", rates[0] / rates[1], 0.85, 1.15, ON_PCIE)


def table_8(tools):
    """As many samples a second of fewer GPUs."""
    for name, config, published, gpus in (("8B", (4, 60, 24), "1.005", 240), ("20B", (4, 32, 8), "1.156", 128)):
        times = samples(tools, name, config, 1) / samples(tools, name, MEGATRON[name], 0)
        yield ratio(f"{name}: how many times the samples a second of Megatron's 400 GPUs ZeRO has on {gpus} (MP 4 x DP {config[1]})",
                    published, times, 0.85, 1.15, BASELINE)


def table_6(tools):
    for name, published in (("8B", "1.63"), ("20B", "2.93"), ("40B", "5.9")):
        other = ACROSS.get(name, MEGATRON[name])
        times = samples(tools, name, ZERO[name][:3], 1) / samples(tools, name, other, 0)
        yield ratio(f"{name}: how many times the samples a second of Megatron (MP {other[0]} x DP {other[1]}, batch {other[2]})",
                    published, times, 0.85, 1.15, BASELINE)


FIGURES = {
    "zero-table-5": ("Table 5: throughput of ZeRO with model parallelism", False, table_5),
    "zero-table-5-memory": ("Table 5: what Megatron holds inside a node", True, table_5_memory),
    "zero-table-6": ("Table 6: ZeRO beside model parallelism alone", False, table_6),
    "zero-table-7": ("Table 7: ZeRO beside model parallelism on PCIe", False, table_7),
    "zero-table-8": ("Table 8: the throughput of Megatron on fewer GPUs", False, table_8),
}
