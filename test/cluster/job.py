# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small model, its plans, and jobs of several processes that never outlive their test."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

DEADLINE = 180  # seconds that a job may take before its test fails: jobs run side by side, on whatever machine

MODEL = {"model_type": "gpt2", "n_layer": 2, "n_embd": 32, "n_head": 2, "n_positions": 16, "vocab_size": 256}
TRAINING = {
    "format": "windlass.training/1",
    "micro_batch": 1,
    "micro_batches": 2,
    "parallel": {"data": 4},
    "sequence": 16,
    "steps": 2000,
    "optimizer": {"type": "adamw", "learning_rate": 1e-2, "weight_decay": 0.1},
    "clip": 1.0,
    "validation": {"fraction": 0.02},
}
MACHINE = {
    "format": "windlass.hardware/1",
    "name": "four small ranks",
    "ranks": 4,
    "device": {"capacity": "64MiB", "flops": {"f32": "50GFLOP/s"}, "bandwidth": "20GB/s"},
    "host": {"capacity": "256MiB", "bandwidth": "20GB/s"},
    "nvme": {"capacity": "256MiB", "read": "1GB/s", "write": "1GB/s"},
    "links": {"cg": {"in": "20GB/s", "out": "20GB/s"}, "gg": {"bandwidth": "20GB/s"}},
    "shared_cores": 2,
}


def expect(truth, message):
    if not truth:
        sys.exit(f"error: {message}")


def merged(document, patch):
    """A JSON merge patch: what is None goes."""
    result = dict(document)
    for key, value in patch.items():
        result[key] = merged(result.get(key, {}), value) if isinstance(value, dict) else value
    return {key: value for key, value in result.items() if value is not None}


class Workshop:
    """The tools, and a folder that is the test's own."""

    def __init__(self, tools, folder, mpirun=None):
        self.tools, self.folder, self.mpirun = pathlib.Path(tools), pathlib.Path(folder), mpirun
        shutil.rmtree(folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.version = subprocess.run([self.tools / "windlass-run", "--version"], stdout=subprocess.PIPE,
                                      check=True).stdout.decode().split()[1].rstrip(",")
        self.data = self.folder / "text.txt"
        self.data.write_text("".join(f"{number} and {number * number}; " for number in range(600)))

    def compile(self, name, training=None, machine=None, model=None):
        """FOLDER/NAME.plan of the model, with changes to the files."""
        source = self.folder / f"{name}.model"
        source.mkdir()
        (source / "config.json").write_text(json.dumps(merged(MODEL, model or {})))
        (source / "training.json").write_text(json.dumps(merged(TRAINING, training or {})))
        (source / "machine.json").write_text(json.dumps(merged(MACHINE, machine or {})))
        plan = self.folder / f"{name}.plan"
        done = subprocess.run(
            [self.tools / "windlass-compile", source, "--training", source / "training.json", "--hardware",
             source / "machine.json", "-o", plan, "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=DEADLINE, check=False)
        expect(done.returncode == 0, f"{name} does not compile:\n{done.stdout.decode()}")
        return plan

    def command(self, plan, out, *flags):
        return [self.tools / "windlass-run", plan, "--data", self.data, "--out", self.folder / out, "--quiet", *flags]

    def forever(self, plan, out, *flags):
        # On links as slow as this a rank is seldom between two steps, where it has no instruction to be at.
        return self.command(plan, out, "--steps", 1000000, "--checkpoint-every", 5, "--pace", "gg=3MB/s", *flags)

    def under_way(self, out, job=None):
        """Until there are two checkpoints. If a job makes none, what it said is told."""
        until = time.monotonic() + DEADLINE
        while len(self.steps(out)) < 2:
            if time.monotonic() > until or (job and job.poll() is not None):
                sys.exit(f"error: {out}: no two checkpoints within {DEADLINE} s" +
                         (f"; exit code {job.poll()}; the job said:\n{self.end(job)}" if job else ""))
            time.sleep(0.1)
        time.sleep(2)  # each has said where it is, once a second

    def start(self, command, variables=None):
        """A job in a session of its own, which ends with it."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("OMPI_", "PMIX_"))}
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} | (variables or {})
        return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                env=environment, start_new_session=True)

    def collect(self, job, seconds=DEADLINE):
        """Exit code and output; a job that does not end in time is killed, and its test fails."""
        try:
            output, _ = job.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            sys.exit(f"error: {job.args} did not end within {seconds:.0f} s; killed. It said:\n{self.end(job)}")
        return job.returncode, output.decode(errors="replace")

    def end(self, job, grace=0):
        """Kills a job, with all that it has started, if it does not end by itself; returns what it has said."""
        try:
            return job.communicate(timeout=grace)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            pass
        for process in [*processes_under(job.pid), job.pid]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return job.communicate()[0].decode(errors="replace")

    def run(self, command, variables=None):
        return self.collect(self.start(command, variables))

    def train(self, plan, out, *flags, mpi=0):
        """A run that must succeed; over MPI in so many processes, if any."""
        command = self.command(plan, out, *flags)
        if mpi:
            command = [self.mpirun, "--oversubscribe", "--bind-to", "none", "-np", mpi, *command]
        code, output = self.run(command)
        expect(code == 0, f"{command}: exit code {code}\n{output}")
        return output

    def metrics(self, out):
        """What a step says of numbers, without what it says of time."""
        lines = (self.folder / out / "metrics.jsonl").read_text().splitlines()
        kept = ("step", "loss", "val_loss", "grad_norm", "lr", "nvme_bytes_read", "nvme_bytes_written")
        return [{key: record[key] for key in kept if key in record} for record in map(json.loads, lines)]

    def checkpoint(self, out, step):
        """Its files, by name."""
        folder = self.folder / out / "checkpoints" / f"step-{step:08}"
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def steps(self, out):
        return sorted(path.name for path in (self.folder / out / "checkpoints").glob("step-*"))


def side_by_side(cases, at_once=6):
    """Calls what mostly waits, some at a time, and gives back what they do; the first one that fails is the test's
    failure, when all that had begun have ended."""
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        begun = [pool.submit(case) for case in cases]
        try:
            return [each.result() for each in begun]
        finally:
            pool.shutdown(cancel_futures=True)


def processes_under(parent):
    """The processes below one, by their numbers in the order of their start."""
    found = []
    for path in pathlib.Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            children = [int(number) for number in path.read_text().split()]
        except FileNotFoundError:
            continue
        for child in children:
            found += [child, *processes_under(child)]
    return found


def wait_for(truth, what, seconds=DEADLINE):
    """Until something is so; nothing here is timed, but no test waits for ever."""
    until = time.monotonic() + seconds
    while not truth():
        expect(time.monotonic() < until, f"{what} did not come to pass within {seconds} s")
        time.sleep(0.05)


def same(shop, one, other, step, *but):
    """Two runs: what they report, but for some of it, and the files of a checkpoint."""
    numbers = [[{key: value for key, value in record.items() if key not in but} for record in shop.metrics(out)]
               for out in (one, other)]
    expect(numbers[0] == numbers[1], f"{one} and {other} report different numbers:\n{numbers[0]}\n{numbers[1]}")
    mine, theirs = shop.checkpoint(one, step), shop.checkpoint(other, step)
    expect(mine.keys() == theirs.keys(), f"{one} and {other} leave other files: {sorted(mine)}, {sorted(theirs)}")
    for name, content in mine.items():
        expect(content == theirs[name], f"{one} and {other} differ in {name}")


def checkpoints_are_whole(shop, out):
    """Byte for byte; and the next run goes on from the newest."""
    done = subprocess.run([shop.tools / "windlass-run", "--verify", shop.folder / out], timeout=DEADLINE,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, f"{out}: {done.stdout.decode()}")
