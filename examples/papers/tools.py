# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Asks windlass-sim and windlass-compile about models of a shape, on machines of examples/hardware."""

import json
import pathlib
import shutil
import subprocess
import tempfile

from gpt import gpt

HARDWARE = pathlib.Path(__file__).parents[1] / "hardware"
CPU = "x86-64-v3"  # of the host's kernels; says nothing of a machine's rates


class Tools:
    def __init__(self, folder=None):
        self.folder = folder
        self.recorded = {}  # while checking: what was found, by what was asked
        self.steps = {}
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="windlass-papers-"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.work)

    def run(self, tool, *words, fails=()):
        """What the tool prints; None where it ends with one of the exit codes in `fails`."""
        path = str(pathlib.Path(self.folder) / tool) if self.folder else tool
        done = subprocess.run([path, *map(str, words)], capture_output=True, text=True)
        if done.returncode in fails:
            return None
        if done.returncode != 0:
            raise SystemExit(f"{tool} {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def ask(self, tool, *words, fails=()):
        """The same as JSON."""
        printed = self.run(tool, *words, fails=fails)
        return None if printed is None else json.loads(printed)

    def keep(self, name, document):
        """A file of this run."""
        path = self.work / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document))
        return path

    def model(self, layers, hidden, heads, sequence=1024, vocabulary=50257):
        """A GPT-2 without dropout, as its folder."""
        config = {
            "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_layer": layers, "n_embd": hidden,
            "n_head": heads, "n_positions": sequence, "vocab_size": vocabulary, "activation_function": "gelu_new",
            "layer_norm_epsilon": 1e-5, "initializer_range": 0.02, "tie_word_embeddings": True, "embd_pdrop": 0.0,
            "attn_pdrop": 0.0, "resid_pdrop": 0.0}
        return self.keep(f"{layers}x{hidden}x{heads}x{sequence}x{vocabulary}/config.json", config).parent

    def model_in_parts(self, layers, hidden, heads, sequence=1024, vocabulary=50257):
        """The same with matrices of their own for queries, keys and values."""
        return self.keep(f"{layers}x{hidden}x{heads}x{sequence}x{vocabulary}.json", gpt(layers, hidden, heads, sequence, vocabulary))

    def llama(self, layers, hidden, heads, kv_heads, intermediate, vocabulary, sequence):
        config = {
            "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": layers, "hidden_size": hidden,
            "num_attention_heads": heads, "num_key_value_heads": kv_heads, "intermediate_size": intermediate,
            "vocab_size": vocabulary, "max_position_embeddings": sequence, "tie_word_embeddings": False}
        return self.keep(f"llama-{layers}x{hidden}x{sequence}x{vocabulary}/config.json", config).parent

    def training(self, ranks, batch, sequence=1024, **more):
        """fp16 over `ranks` data-parallel ranks, `batch` sequences on each."""
        document = {"format": "windlass.training/1", "micro_batch": batch, "parallel": {"data": ranks},
                    "sequence": sequence, "precision": {"compute": "fp16"}, **more}
        return self.keep(f"training-{abs(hash(json.dumps(document)))}.json", document)

    def machine(self, name, **changes):
        """A file of examples/hardware; with changes, by key ("device__flops__f16"; None takes it off), a copy that has them."""
        path = HARDWARE / f"{name}.json"
        if not changes:
            return path
        document = json.loads(path.read_text())
        for key, value in changes.items():
            *places, last = key.split("__")
            place = document
            for step in places:
                place = place.setdefault(step, {})
            if value is None:
                place.pop(last)
            else:
                place[last] = value
        document.pop("sources")  # which are of what was changed, too
        return self.keep(f"machine-{abs(hash(json.dumps(document)))}.json", document)

    def analyse(self, machine, model=None, training=None, parameters=None, bytes_per_parameter=16):
        words = [f"--parameters={parameters}"] if parameters else [model, "--training", training]
        return self.ask("windlass-compile", *words, "--hardware", machine, "--analyze", "--json",
                        "--bytes-per-parameter", bytes_per_parameter)

    def fits(self, model, training, machine, strategy=None):
        """With the decisions that the training file leaves open, or, of a strategy, with its own."""
        named = ["--strategy", strategy] if strategy else []
        return self.ask("windlass-sim", model, "--training", training, "--hardware", machine, *named, "--target-cpu", CPU, "--fits",
                        "--json", fails=(3,)) is not None

    def largest(self, what, shape, training, machine, strategy):
        """By layers, of models `shape` = (hidden, heads). Where a check has recorded an answer, only whether that
        still fits, and the next size not."""
        if what not in self.recorded:
            return self.ask("windlass-sim", self.model(40, *shape), "--training", training, "--hardware", machine,
                            "--strategy", strategy, "--target-cpu", CPU, "--largest", "layers", "--fits", "--json")
        row = self.recorded[what]
        fits = [self.fits(self.model(layers, *shape), training, machine, strategy) for layers in (row.size, row.too_large)]
        parameters = row.ours[0] * 1e9 if fits == [True, False] else 0
        return {"size": row.size, "parameters": parameters, "too_large": row.too_large}

    def largest_batch(self, model, training, machine):
        return self.ask("windlass-sim", model, "--training", training, "--hardware", machine, "--target-cpu", CPU, "--largest",
                        "batch", "--fits", "--json")["size"]

    def largest_hidden(self, model, training, machine):
        return self.ask("windlass-sim", model, "--training", training, "--hardware", machine, "--target-cpu", CPU, "--largest",
                        "hidden", "--fits", "--json")

    def step(self, model, training, machine, **changes):
        """The simulated step of the plan that is found, on the machine with changes; None where none fits."""
        return self.steps_of_one_plan(model, training, machine, changes)[0]

    def steps_of_one_plan(self, model, training, machine, *variants):
        """The same of one plan, for each of several changes. Figures that ask for the same share it."""
        asked = [(model, training, machine, *changes.items()) for changes in variants]
        if any(key not in self.steps for key in asked):
            plan = self.work / "plan"
            planned = self.run("windlass-compile", model, "--training", training, "--hardware", machine, "--target-cpu", CPU, "-o",
                               plan, fails=(3,))
            for key, changes in zip(asked, variants, strict=True):
                what_if = [f"--set={name.replace('__', '.')}={value}" for name, value in changes.items()]
                self.steps[key] = None if planned is None else self.ask("windlass-sim", plan, "--json", *what_if)
            shutil.rmtree(plan, ignore_errors=True)
        return [self.steps[key] for key in asked]
