# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A GPT-2 without dropout whose queries, keys and values have matrices of their own, as graph JSON: tensor ranks have a part of each,
so that tiles cut them."""


def linear(x, name, out):
    return [{"op": "matmul", "in": [x, f"{name}.weight"], "out": f"{name}.product"},
            {"op": "add", "in": [f"{name}.product", f"{name}.bias"], "out": out}]


def norm(x, name):
    return {"op": "layer_norm", "in": [x, f"{name}.weight", f"{name}.bias"], "eps": 1e-5, "out": name}


def parameters(norms, **matrices):
    """By name: vectors of norms; a matrix and the bias of its columns."""
    made = {f"{name}.{part}": {"shape": ["D"], "init": value} for name in norms for part, value in (("weight", 1), ("bias", 0))}
    for name, shape in matrices.items():
        made |= {f"{name}.weight": {"shape": shape, "init": {"normal": 0.02}}, f"{name}.bias": {"shape": shape[1:], "init": 0}}
    return made


BLOCK = {
    "in": ["x"], "out": ["y"],
    "params": parameters(("ln_1", "ln_2"), q=["D", "D"], k=["D", "D"], v=["D", "D"], o=["D", "D"], up=["D", "4*D"], down=["4*D", "D"]),
    "ops": [
        norm("x", "ln_1"), *linear("ln_1", "q", "query"), *linear("ln_1", "k", "key"), *linear("ln_1", "v", "value"),
        {"op": "attention", "in": ["query", "key", "value"], "batch": "B", "heads": "H", "causal": True, "out": "heads"},
        *linear("heads", "o", "attended"), {"op": "add", "in": ["x", "attended"], "out": "x.attended"},
        norm("x.attended", "ln_2"), *linear("ln_2", "up", "inner"), {"op": "gelu", "in": ["inner"], "out": "active"},
        *linear("active", "down", "mlp"), {"op": "add", "in": ["x.attended", "mlp"], "out": "y"}]}


def gpt(layers, hidden, heads, sequence, vocabulary):
    tables = {f"{name}.weight": {"shape": [rows, "D"], "init": {"normal": 0.02}} for name, rows in (("tokens", "V"), ("places", "T"))}
    tokens = {"shape": ["B", "T"], "bound": "V"}
    return {
        "format": "windlass.model/1",
        "dims": {"B": "batch", "T": "sequence", "D": hidden, "H": heads, "L": layers, "V": vocabulary},
        "inputs": {"tokens": {"role": "tokens", **tokens}, "labels": {"role": "labels", **tokens}},
        "params": {**tables, **parameters(("last",))},
        "blocks": {"block": BLOCK},
        "ops": [
            {"op": "reshape", "in": ["tokens"], "shape": ["B*T"], "out": "token"},
            {"op": "positions", "in": ["tokens"], "dim": 1, "out": "positions"},
            {"op": "reshape", "in": ["positions"], "shape": ["B*T"], "out": "position"},
            {"op": "embedding", "in": ["tokens.weight", "token"], "out": "of.token"},
            {"op": "embedding", "in": ["places.weight", "position"], "out": "of.place"},
            {"op": "add", "in": ["of.token", "of.place"], "out": "x"},
            {"repeat": "L", "block": "block", "carry": ["x"], "name": "h.{i}"},
            norm("x", "last"),
            {"op": "matmul", "in": ["last", "tokens.weight"], "trans_b": True, "out": "logits"},
            {"op": "reshape", "in": ["labels"], "shape": ["B*T"], "out": "label"},
            {"op": "cross_entropy", "in": ["logits", "label"], "out": "losses"}],
        "loss": "losses", "outputs": ["logits"]}
