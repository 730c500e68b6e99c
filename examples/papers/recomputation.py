# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reducing Activation Recomputation in Large Transformer Models (2022), by lecture slides on it."""

from rows import printed

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


FIGURES = {"recomputation-activations": ("Activations of a layer", True, activations)}
