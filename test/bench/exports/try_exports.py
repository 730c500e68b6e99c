"""Exports models as people write them, trains the files with Windlass, and compares with PyTorch.

    python3 -m venv venv && venv/bin/pip install torch transformers safetensors onnx onnxscript
    venv/bin/python test/bench/exports/try_exports.py [--tools build/release/bin] [--work FOLDER]
        [--forms script-17,dynamo-20] [--only compare] [MODEL ...]

Each model is exported in training mode with its loss in the graph, in several forms: by TorchScript's exporter
("script") or the one on torch.export ("dynamo"), for an operator set ("default": whatever is used where none is named),
"whole" (with all its sizes fixed) or with an open batch, "raw" (without the exporter's optimiser) or not. Then three
steps of AdamW in fp32, each on another batch, without dropout: the loss of the first step must be PyTorch's to 1e-5,
the others to 1e-4; each gradient to 1e-4 of its tensor's largest or 1e-6 of the model's; each parameter to 1e-5 +
1e-4 of itself, where its gradient is above that floor, else to 3.5 learning rates. Files with an open batch are trained
in two micro-batches. Of a table an exporter may have kept only the first rows: those are compared, and the line says
so. What is exported from the run must load into the module. Prints one line a trial, then a table.
"""

import argparse
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import warnings

import torch
from safetensors.torch import load_file, save_file
from torch import nn

import plain_models
import sequence_models
import transformers_models
from batches import BATCH, STEPS

MODELS = transformers_models.MODELS | sequence_models.MODELS | plain_models.MODELS
FORMS = ("script-17", "script-20", "dynamo-18", "dynamo-20-raw", "dynamo-23", "dynamo-default-whole")
RATE, BETAS, EPSILON, DECAY, CLIP = 1e-3, (0.9, 0.95), 1e-8, 0.1, 1.0
HARDWARE = {"format": "windlass.hardware/1", "name": "one rank", "ranks": 1,
            "device": {"capacity": "1GiB", "flops": {"f32": "50GFLOP/s"}, "bandwidth": "10GB/s"},
            "host": {"capacity": "1GiB", "bandwidth": "10GB/s"}, "links": {"cg": {"in": "10GB/s", "out": "10GB/s"}},
            "shared_cores": 1}


def made(name):
    """The model, far enough from its start that every gradient says something, and its examples."""
    torch.manual_seed(7)
    model, feeds = MODELS[name]()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.05 * torch.randn_like(parameter))
    return model.train(), feeds


def rows(feeds, step):
    return {key: value[step * BATCH:(step + 1) * BATCH] for key, value in feeds.items()}


def train(name, folder):
    """What PyTorch computes: losses, first gradients, last parameters."""
    model, feeds = made(name)
    for module in model.eval().modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.train()
    named = dict(model.named_parameters())
    groups = [{"params": [p for p in named.values() if (p.dim() > 1) == decays], "weight_decay": DECAY * decays}
              for decays in (True, False)]
    adamw = torch.optim.AdamW([group for group in groups if group["params"]], lr=RATE, betas=BETAS, eps=EPSILON)
    out, losses = {}, []
    for step in range(STEPS):
        adamw.zero_grad()
        loss = model(**rows(feeds, step))
        loss.backward()
        if step == 0:
            out |= {"gradient/" + key: p.grad.clone() for key, p in named.items()}
        losses.append(loss.detach())
        nn.utils.clip_grad_norm_(named.values(), CLIP, foreach=False)
        adamw.step()
    out |= {"trained/" + key: p.detach() for key, p in named.items()} | {"losses": torch.stack(losses)}
    save_file({key: value.contiguous() for key, value in out.items()}, folder / "reference.safetensors")
    save_file({key: value.contiguous() for key, value in feeds.items()}, folder / "data.safetensors")


def export(name, form, path):
    exporter, opset, *rest = form.split("-")
    model, feeds = made(name)
    batch = rows(feeds, 0)
    options = {"output_names": ["loss"]} | ({} if opset == "default" else {"opset_version": int(opset)})
    if exporter == "script":
        options |= {"input_names": list(batch), "training": torch.onnx.TrainingMode.TRAINING,
                    "do_constant_folding": "raw" not in rest}
        if "whole" not in rest:
            options["dynamic_axes"] = {key: {0: "batch"} for key in batch}
    else:
        options |= {"kwargs": batch, "optimize": "raw" not in rest}
        if "whole" not in rest:
            options["dynamic_shapes"] = {key: {0: torch.export.Dim("batch", min=2)} for key in batch}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        torch.onnx.export(model, tuple(batch.values()) if exporter == "script" else (), str(path),
                          dynamo=exporter == "dynamo", **options)


class Refused(Exception):
    pass


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise Refused(" ".join(done.stderr.split()))


def trained(tools, name, form, path):
    """Losses, gradients and parameters of a run."""
    folder, parts = path.parent, 1 if "whole" in form or name in plain_models.TOGETHER else 2
    training = {"format": "windlass.training/1", "micro_batch": BATCH // parts, "micro_batches": parts, "steps": STEPS,
                "dropout": "off", "shuffle": False, "clip": CLIP,
                "optimizer": {"learning_rate": RATE, "betas": BETAS, "epsilon": EPSILON, "weight_decay": DECAY}}
    (folder / "training.json").write_text(json.dumps(training))
    (folder / "machine.json").write_text(json.dumps(HARDWARE))
    out = path.with_suffix("")
    modules = dict(made(name)[0].named_modules())
    more = []
    if any(isinstance(module, nn.modules.batchnorm._BatchNorm) for module in modules.values()):
        more += ["--bn-stats", "torch"]
    for key, module in modules.items():
        if form.startswith("script") and isinstance(module, nn.Embedding) and module.padding_idx is not None:
            more += ["--padding", f"{key}.weight={module.padding_idx}"]  # of which that exporter writes nothing
    run(tools / "windlass-compile", path, "--training", folder / "training.json", "--hardware", folder / "machine.json",
        *more, "-q", "-o", f"{out}.plan")
    run("rm", "-rf", f"{out}.run")
    run(tools / "windlass-run", f"{out}.plan", "--data", folder / "data.safetensors", "--out", f"{out}.run",
        "--metrics", f"{out}.run/metrics.jsonl", "--dump-gradients", f"{out}.gradients", "--export", f"{out}.weights")
    records = [json.loads(line) for line in pathlib.Path(f"{out}.run/metrics.jsonl").read_text().splitlines()]
    return [record["loss"] for record in records], load_file(f"{out}.gradients"), load_file(f"{out}.weights")


def first_names(name):
    """The name under which the module lists each parameter, by each of its names."""
    state, first = made(name)[0].state_dict(keep_vars=True), {}
    return {key: first.setdefault(id(value), key) for key, value in state.items()}


def lacking(expected, gradients):
    """Tables of which a file has the first rows alone, others were never looked up: how many it has."""
    for key, found in gradients.items():
        gradient = expected.get("gradient/" + key, found)
        if len(found) < len(gradient) and found.shape[1:] == gradient.shape[1:] and not gradient[len(found):].any():
            yield key, len(found)


def differences(expected, losses, gradients, weights):
    for step, (found, loss) in enumerate(zip(losses, expected["losses"].tolist(), strict=True)):
        if not abs(found - loss) <= (1e-4 if step else 1e-5) * abs(loss):
            yield f"the loss of step {step + 1} is {found}, not {loss}"
    named = {key.removeprefix("gradient/"): value for key, value in expected.items() if key.startswith("gradient/")}
    largest = max(value.abs().max().item() for value in named.values())
    for key in sorted(named.keys() ^ gradients.keys()):
        yield f"{key} is only {'the module' if key in named else 'the run'}'s"
    for key in sorted(named.keys() & gradients.keys()):
        gradient, found, weight = named[key].double(), gradients[key].double(), expected["trained/" + key].double()
        if found.shape != gradient.shape:
            yield f"{key} is {list(found.shape)}, not {list(gradient.shape)}"
            continue
        floor = max(1e-4 * gradient.abs().max().item(), 1e-6 * largest)
        worst = (gradient - found).abs().max().item()
        if not worst <= floor:
            yield f"the gradient of {key} is off by {worst:.1e}, of {gradient.abs().max().item():.1e}"
        limit = torch.where(gradient.abs() <= floor, 3.5 * RATE, 1e-5 + 1e-4 * weight.abs())
        if not ((weight - weights[key].double()).abs() <= limit).all():
            yield f"{key} is another after training"


def loading(name, weights):
    """A parameter that has two names may come back under one; a buffer is the module's own."""
    model, _ = made(name)
    state = model.state_dict(keep_vars=True)
    known = {id(state[key]) for key in weights if key in state}
    fitting = {key: value for key, value in weights.items() if key not in state or value.shape == state[key].shape}
    missing, left = model.load_state_dict(fitting, strict=False)
    for key in missing:
        if id(state[key]) not in known and state[key].requires_grad:
            yield f"{key} is missing in the export"
    yield from (f"{key} is left over in the export" for key in left)


def trial(tools, name, form, path):
    if not path.exists():
        return path.with_suffix(".error").read_text()
    try:
        losses, gradients, weights = trained(tools, name, form, path)
    except Refused as refusal:
        return f"refused: {str(refusal)[:300]}"
    expected, first = load_file(path.parent / "reference.safetensors"), first_names(name)
    gradients, weights = ({first.get(key, key): value for key, value in all.items()} for all in (gradients, weights))
    rows = dict(lacking(expected, gradients))
    expected |= {f"{kind}/{key}": expected[f"{kind}/{key}"][:count]
                 for key, count in rows.items() for kind in ("gradient", "trained")}
    found = list(differences(expected, losses, gradients, weights))
    found += loading(name, weights)
    more = f"; {len(found)} in all" if found[4:] else ""
    if found:
        return f"differs: {'; '.join(found[:4])}{more}"
    return "agrees" + "".join(f"{';' if at else ':'} of {key} the first {count} rows"
                              for at, (key, count) in enumerate(rows.items()))


def prepare(name, forms, folder):
    folder.mkdir(parents=True, exist_ok=True)
    train(name, folder)
    for form in forms:
        path = folder / f"{form}.onnx"
        for old in folder.glob(f"{form}.*"):
            run("rm", "-rf", old)
        try:
            export(name, form, path)
        except Exception as error:  # whatever the exporter cannot do
            path.unlink(missing_ok=True)
            path.with_suffix(".error").write_text(f"not exported: {' '.join(str(error).split())[:150]}")


def table(results, forms):
    yield "| model | " + " | ".join(form.replace("-", " ") for form in forms) + " |"
    yield "| --- " * (len(forms) + 1) + "|"
    for name, outcomes in results.items():
        yield f"| {name} | " + " | ".join(outcome.split(":")[0] for outcome in outcomes) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="all of them: " + "; ".join(MODELS))
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("out/exports"))
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--only", choices=("export", "compare"))
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    forms, results = given.forms.split(","), {}
    for name in given.models or MODELS:
        folder = given.work / "".join(letter if letter.isalnum() else "-" for letter in name)
        if given.only != "compare":
            prepare(name, forms, folder)
        if given.only == "export":
            continue
        results[name] = [trial(given.tools, name, form, folder / f"{form}.onnx") for form in forms]
        for form, outcome in zip(forms, results[name]):
            print(f"{name}, {form}: {outcome}", flush=True)
    print("\n".join(table(results, forms)))
    return 1 if any(outcome.startswith("differs") for row in results.values() for outcome in row) else 0


if __name__ == "__main__":
    sys.exit(main())
