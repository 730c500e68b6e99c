# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports models as people write them, trains the files with Windlass, and compares with PyTorch.

    python3 -m venv venv && venv/bin/pip install torch torchvision transformers safetensors onnx onnxscript onnxsim
    venv/bin/python test/exports/try_exports.py --count 200 --seed 1      # a sample of models and forms
    venv/bin/python test/exports/try_exports.py --models 'LoRA;Mamba' --forms dynamo-18-folded-open-train-fresh
    venv/bin/python test/exports/try_exports.py --every --models LoRA     # in all forms

Models are those of *_models.py here; forms, what exporters are told and what rewrites a file: forms.py. Each file is
compiled and trained for three steps of AdamW in fp32, each on another batch, without dropout. The loss of the first step
must be PyTorch's to 1e-5, the others to 1e-4; each gradient to 1e-4 of its tensor's largest or 1e-6 of the model's; each
parameter to 1e-5 + 1e-4 of itself, where its gradient is above that floor, else to 3.5 learning rates. Files with an
open batch are trained in two micro-batches. What the file cannot hold is said by flags, as a reader of docs/onnx.md
would: parameters without requires_grad (--freeze), padding rows of TorchScript's files, PyTorch's running variance.

A verdict is one of
    same                 the module's numbers
    refused              exit code 1, with a message
    told                 other numbers, and a warning of the compiler names a tensor that has them
    unknown              other numbers, and --check says that it cannot know how many parameters the module has
    SILENT OTHER MODEL   other numbers, and nothing says so
    crash                any other exit code, or no end
    not exported         the exporter or the rewriter cannot do it
The last but one and the one before are faults: then the exit code is 1.
"""

import argparse
import collections
import pathlib
import random
import shutil
import sys
import warnings

import torch

import forms
import reference
from catalogue import MODELS, TOGETHER
from judge import CRASH, REFUSED, SAME, SILENT, TOLD, UNKNOWN, Trial

UNMADE = "not exported"
VERDICTS = (SAME, REFUSED, TOLD, UNKNOWN, SILENT, CRASH, UNMADE)


def tried(given, name, form):
    """The verdict, why, and the line of --check that counts parameters. Files of faults stay in the working folder."""
    folder = given.work / "".join(letter if letter.isalnum() else "-" for letter in name) / str(form)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        reference.write(MODELS[name], form, name in TOGETHER, folder)
    except Exception as error:  # whatever the exporter cannot do
        shutil.rmtree(folder, ignore_errors=True)
        return UNMADE, " ".join(f"{type(error).__name__}: {error}".split())[:150], ""
    trial = Trial(given.tools, folder, folder / "out")
    verdict, why = trial.verdict()
    if verdict in (SAME, REFUSED) and not given.keep:
        shutil.rmtree(folder)
    return verdict, why, trial.account()


def trials(given):
    """Names of models, and forms."""
    names = given.models.split(";") if given.models else list(MODELS)
    if given.every or given.forms:
        chosen = [forms.parse(name) for name in given.forms.split(",")] if given.forms else list(forms.every())
        yield from ((name, form) for name in names for form in chosen)
        return
    for number in range(given.first, given.first + given.count):
        drawn = random.Random(f"{given.seed} {number}")
        yield drawn.choice(names), forms.drawn(drawn)


def table(results):
    """A row for each model: how many trials ended how."""
    yield "| model | " + " | ".join(VERDICTS) + " |"
    yield "| --- " * (len(VERDICTS) + 1) + "|"
    for name, counts in [*sorted(results.items()), ("all", sum(results.values(), collections.Counter()))]:
        yield f"| {name} | " + " | ".join(str(counts[verdict] or "") for verdict in VERDICTS) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", help="names, with ; between them (all): " + "; ".join(MODELS))
    parser.add_argument("--forms", help="names, with commas between them")
    parser.add_argument("--every", action="store_true", help="all forms, instead of a sample")
    parser.add_argument("--count", type=int, default=40, help="how many trials a sample has (40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first trial of the sample (0)")
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("out/exports"))
    parser.add_argument("--keep", action="store_true", help="files of trials that are no fault, too")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    results = collections.defaultdict(collections.Counter)
    for name, form in trials(given):
        verdict, why, account = tried(given, name, form)
        results[name][verdict] += 1
        print(f"{verdict}: --models '{name}' --forms {form}{': ' if why else ''}{why[:400]}", flush=True)
        if verdict in (SILENT, UNKNOWN, TOLD) and account:
            print("    " + account, flush=True)
    print("\n".join(table(results)))
    return 1 if any(counts[SILENT] or counts[CRASH] for counts in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
