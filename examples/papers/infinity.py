# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ZeRO-Infinity: Breaking the GPU Memory Wall for Extreme Scale Deep Learning (2021): formulas and capacities."""

from rows import capacity, printed, within

TIB, GIB = 2**40, 2**30
KEEPS_LESS = "a plan keeps 16 bytes a parameter where the paper's framework keeps 20, and needs no reserve"
FIGURE_2A = (  # layers, hidden, heads; states TB, activations of 32 TB, checkpoints TB, both working memories GB
    ("0.10T", 80, 10240, 128, "1.83 / 2.03 / 0.05 / 1.95 / 1.63"),
    ("0.50T", 100, 20480, 160, "9.16 / 3.91 / 0.12 / 6.25 / 2.50"),
    ("1.01T", 128, 25600, 256, "18.31 / 7.13 / 0.20 / 9.77 / 3.56"),
    ("10.05T", 195, 65536, 512, "182.81 / 24.38 / 0.76 / 64.00 / 8.00"),
    ("101.47T", 315, 163840, 1024, "1845.70 / 88.59 / 3.08 / 400.00 / 18.00"),
)
ALL_ACTIVATIONS = 1  # of these


def of_papers(analysis, quantity):
    return next(row["papers"] for row in analysis["quantities"] if row["quantity"] == quantity)


def figure_2a(tools):
    machine, activations = tools.machine("dgx-2"), []
    for name, layers, hidden, heads, published in FIGURE_2A:
        model = tools.model(layers, hidden, heads)
        of32 = tools.analyse(machine, model, tools.training(16, 32), bytes_per_parameter=20)
        of4 = tools.analyse(machine, model, tools.training(16, 4), bytes_per_parameter=20)
        texts = published.split(" / ")
        activations.append((texts.pop(ALL_ACTIVATIONS), of_papers(of32, "activation working memory") * layers / TIB))
        ours = [of_papers(of32, "model states") / TIB, of_papers(of32, "activation checkpoints") / TIB,
                of_papers(of32, "model-state working memory") / GIB, of_papers(of4, "activation working memory") / GIB]
        yield printed(f"{name}: states, checkpoints, TiB; working memory of states and of activations, GiB",
                      " / ".join(texts), ours,
                      "1.95 GiB are those of hidden 11448, not of 10240" if name == "0.10T" else "")
    yield printed("the five: all activations, TiB", " / ".join(text for text, _ in activations),
                  [value for _, value in activations], "the column is twice what its Eq. 5 gives")


def efficiency(tools, what, link, batch=1, hidden=2048, **rates):
    """Of Eq. 6, in percent, over so many bytes a second."""
    machine = tools.machine("dgx-2", **rates)
    analysis = tools.analyse(machine, tools.model(1, hidden, 16), tools.training(16, batch))
    moved = next(row for row in analysis["efficiency"]["moved"] if row["moved"] == what)
    return next(over for over in moved["over"] if over["link"] == link)


def figure_3(tools):
    parameters, optimizer, checkpoints = "parameters and gradients", "optimizer states", "activation checkpoints"
    gg = {"links__gg__bandwidth": 70e9 / 16 * 15}  # 15 of 16 parts come from others: 70 GB/s of all bytes
    share = efficiency(tools, parameters, "gg", **gg)["efficiency"]
    yield printed("parameters and gradients, batch 1, 70 GB/s: efficiency, % (\"over 50\")", "50", [100 * share])
    share = efficiency(tools, optimizer, "host", 2, host__bandwidth="1.5TB/s", links__host__bandwidth="1.5TB/s")["efficiency"]
    yield within("optimizer states, batch 2, \"nearly 1.5 TB/s\": efficiency, %", "90", [100 * share], 0.98, 1.03)
    for hidden, rate, published in ((2048, "2GB/s", "50"), (8192, "1GB/s", "50"), (8192, "3GB/s", "80")):
        share = efficiency(tools, checkpoints, "cg", hidden=hidden, links__cg={"in": rate, "out": rate})["efficiency"]
        yield within(f"checkpoints, hidden {hidden}, {rate}: efficiency, % (\"over {published}\")", published,
                     [100 * share], 1.0, 1.5, "a bound, and more than it" if 100 * share > 1.1 * float(published) else "")


def table_3(tools):
    for times, published in ((1, "70.0"), (10, "700.0"), (100, "7000.0")):
        machine = tools.machine("dgx-2-cluster", device__flops__f16=f"{70 * times}TFLOP/s")
        analysis = tools.analyse(machine, tools.model(1, 2048, 16), tools.training(512, 1))
        needs = next(row for row in analysis["efficiency"]["moved"] if row["moved"] == "parameters and gradients")
        yield within(f"{times} x V100: GPU to GPU, GB/s that half of the time computes at", published,
                     [needs["bytes_per_second_for_50_percent"] / 1e9], 0.97, 1.0, "the paper rounds 68.4 up, then multiplies")


CASES_6A = (  # strategy; hidden, heads; billions that are published; bound at a plan's bytes; more of the training file
    ("data-parallel", "data-parallel", (1536, 16), "1.4", 32 / 16, {}),
    ("ZeRO-2", "zero-2", (4096, 16), "10", 32 / (2 + 14 / 16), {}),
    ("ZeRO-Offload", "zero-offload", (4096, 16), "13", 32 / 2, {}),
    ("ZeRO-3", "zero-3", (4096, 32), "20", 512 / 16, {}),
    ("ZeRO-Infinity, CPU", "zero-infinity-cpu", (8192, 32), "70", 1500 / 16, {}),
    ("ZeRO-Infinity, NVMe", "zero-infinity-nvme", (25600, 256), "1000", 28000 / 16, {"tile": {"limit": "2GiB"}}),
)


def figure_6a(tools):
    for name, strategy, shape, published, bound, more in CASES_6A:
        what = f"{name}, one DGX-2: largest, billions"
        found = tools.largest(what, shape, tools.training(16, 1, **more), tools.machine("dgx-2"), strategy)
        yield capacity(what, published, found, bound, KEEPS_LESS)


def figure_6b(tools):
    """One layer, states on the disk; the paper splits device memory into pieces of 2 GB first."""
    for name, published, more, why in (
            ("untiled", "8192", {}, "the paper's allocator finds no room above 2 GB; a plan's offsets do"),
            ("tiled", "65536", {"tile": {"limit": "2GiB"}}, "")):
        fitting = [hidden for hidden, heads in ((8192, 16), (16384, 16), (32768, 16), (65536, 32))
                   if tools.fits(tools.model(1, hidden, heads), tools.training(16, 1, **more), tools.machine("dgx-2"),
                                 "zero-infinity-nvme")]
        yield within(f"one layer, {name}: the largest hidden size of 8, 16, 32 and 64 Ki", published, [max(fitting)], 1.0, 1.0,
                     why)


FIGURES = {
    "infinity-2a": ("Figure 2a: what models need", False, figure_2a),
    "infinity-3": ("Figure 3 and Sec. 4.2: bandwidth that is needed", True, figure_3),
    "infinity-table-3": ("Table 3: faster devices", True, table_3),
    "infinity-6a": ("Figure 6a: largest model by strategy", False, figure_6a),
    "infinity-6b": ("Figure 6b: hidden size by tiles", False, figure_6b),
}
