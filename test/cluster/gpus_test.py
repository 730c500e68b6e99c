#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans for GPUs in several processes, on simulated GPUs and a simulated NCCL, whose ids go over the control channel:
the bytes of the CPU on three hosts and one, resumed across both, with tensor ranks, and ends that NCCL knows nothing of.

    gpus_test.py TOOLS FOLDER SIMULATED [MPIRUN]
"""

import functools
import re
import shutil
import signal
import sys
import time

from hosts import FAILED, PLACES, Hosts, Job, in_namespaces, mpirun_on, why_not
from job import Workshop, checkpoints_are_whole, expect, side_by_side, wait_for

# Products by reference have the CPU's bits. Two pipelines: sums and messages go from host to host.
TRAINING = {"matmul": "reference", "zero_stage": 1, "parallel": {"data": 2, "pipeline": 2}, "sequence": 8}
MODEL = {"n_embd": 16, "n_positions": 8}
# Each operation in two processes, and parameters whole with an owner, which both processes at its place are.
SHARED = TRAINING | {"parallel": {"data": 2, "tensor": 2}, "zero_stage": 3, "gather": "broadcast"}
SOME_STEPS = 470  # launches of a rank
GPUS = {"backend": "cuda", "shared_cores": None}


class Simulated:
    """The environment of simulated GPUs, so many of each process's host."""

    def __init__(self, shop, library_folder):
        self.shop, self.library_folder = shop, library_folder

    def gpus(self, out, count=4):
        """Ranks of a job meet in a folder of its own, and tell there what became of their GPUs."""
        folder = self.shop.folder / f"{out}.gpus"
        folder.mkdir(exist_ok=True)
        return {"LD_LIBRARY_PATH": str(self.library_folder), "TMPDIR": str(folder), "WINDLASS_SIM_POLICY": "3",
                "WINDLASS_SIM_REPORT": str(folder / "report"), "WINDLASS_SIM_DEVICES": str(count)}

    def of_hosts(self, out):
        """The same for a job on hosts of which each has as many GPUs as ranks, rank by rank."""
        return {f"rank{rank}": self.gpus(out, PLACES.count(place)) for rank, place in enumerate(PLACES)}

    def reports(self, out):
        folder = self.shop.folder / f"{out}.gpus"
        return {int(path.name.removeprefix("report")): path.read_text() for path in folder.glob("report[0-9]*")}

    def expect_good_order(self, out, processes):
        """No rule of the driver was broken, nothing was left behind, and no bytes wait for a rank."""
        reports = self.reports(out)
        expect(sorted(reports) == list(range(processes)), f"{out}: reports of {sorted(reports)}")
        for rank, text in reports.items():
            expect(re.fullmatch(r"[1-9]\d* launches\nleft behind: \n", text), f"{out}, process {rank}:\n{text}")
        left = list((self.shop.folder / f"{out}.gpus").glob("nccl-*"))
        expect(not left, f"{out}: left {left}")


def same_states(shop, one, other, step):
    mine, theirs = shop.checkpoint(one, step), shop.checkpoint(other, step)
    for name in ("model.safetensors", "optimizer.safetensors"):
        expect(mine[name] == theirs[name], f"{one} and {other} differ in {name}")
    losses = [[record["loss"] for record in shop.metrics(out)][:step] for out in (one, other)]
    expect(losses[0] == losses[1], f"losses of {one} and {other}: {losses}")


def on_hosts(shop, simulated, plan):
    """Processes that somebody started host by host."""
    hosts = Hosts()
    variables = simulated.of_hosts("hosts")
    ended = Job(shop, hosts, shop.command(plan, "hosts", "--steps", 2), PLACES, **variables).start().collect(60)
    expect(all(code == 0 for code, _ in ended.values()), f"cuda on hosts: {ended}")
    expect("note: ranks of all processes have a GPU each, of 2 GPUs, and exchange bytes over NCCL" in ended[0][1],
           f"cuda on hosts: {ended}")
    same_states(shop, "cpu", "hosts", 2)
    simulated.expect_good_order("hosts", 4)
    print("three hosts with GPUs: the bytes of the CPU")


def over_mpi(shop, simulated, plan):
    """The same, started by mpirun; every host has two GPUs, of which two hosts use the first alone."""
    hosts = Hosts()
    variables = simulated.gpus("mpi", 2)
    command = mpirun_on(shop, hosts, PLACES, shop.command(plan, "mpi", "--steps", 2, "--interface", "net0"),
                        exported=variables)
    code, output = shop.run(hosts.on("a", command), variables)
    expect(code == 0, f"cuda over mpirun: exit code {code}\n{output}")
    same_states(shop, "cpu", "mpi", 2)
    simulated.expect_good_order("mpi", 4)
    print("three hosts with GPUs, over mpirun: the bytes of the CPU")


def resumes(shop, simulated, plan, cpu):
    """From ranks as threads to processes and back, on GPUs and on the CPU, a step each."""
    ways = [(plan, []), (plan, ["--ranks", 4]), (plan, []), (cpu, ["--ranks", 4]), (plan, ["--ranks", 2]), (cpu, [])]
    for step, (taken, flags) in enumerate(ways, start=1):
        variables = simulated.gpus("resumed")
        code, output = shop.run(shop.command(taken, "resumed", "--steps", step, "--checkpoint-every", 1, *flags), variables)
        expect(code == 0, f"resumed with {flags}: exit code {code}\n{output}")
        same_states(shop, "cpu", "resumed", step)
    print("resumed from threads to processes, from GPUs to the CPU, and back: the bytes of the CPU")


def shares_operations(shop, simulated, plan, cpu):
    """Groups of NCCL's over the axis of data and over that of tensor ranks, a process a rank."""
    shop.train(cpu, "shared-cpu", "--steps", 2)
    variables = simulated.gpus("shared")
    code, output = shop.run(shop.command(plan, "shared", "--steps", 2, "--ranks", 4), variables)
    expect(code == 0, f"tensor ranks: exit code {code}\n{output}")
    same_states(shop, "shared-cpu", "shared", 2)
    simulated.expect_good_order("shared", 4)
    print("tensor ranks and owners in four processes: the bytes of the CPU")


def stands_still(shop, name):
    """For long enough that all wait for one, and have said where they are, once a second."""
    before = shop.steps(name)
    time.sleep(3)
    return shop.steps(name) == before


def dies(shop, simulated, plan, name, victim, number, words):
    """Others wait for a rank over NCCL, which tells nobody: what comes over the control channel ends that wait. A
    kernel of some step never ends on that rank's GPU, so that is where all of them are."""
    hosts = Hosts()
    command = shop.command(plan, name, "--steps", 1000000, "--checkpoint-every", 1)
    variables = simulated.of_hosts(name)
    variables[f"rank{victim}"] |= {"WINDLASS_SIM_FAULT": f"hung-stream:{SOME_STEPS}"}
    job = Job(shop, hosts, command, PLACES, **variables).start()
    wait_for(lambda: shop.steps(name), f"a checkpoint in {name}")
    wait_for(lambda: stands_still(shop, name), f"a kernel of {name} that hangs")
    job.kill(victim, number)
    ended = job.collect(but=(victim,))
    pattern = (rf"error: rank {victim} \(host {PLACES[victim]}\) {words}.*"
               rf"it was last at (rank {victim}, [a-z_]+ \d+ \(|the end of a step)")
    for rank, (code, output) in ended.items():
        expect(code == FAILED, f"{name}: rank {rank}: exit code {code}\n{output}")
        if rank != 1:  # the first process of each host speaks for it
            expect(re.search(pattern, output), f"{name}: rank {rank} says nothing like '{pattern}':\n{output}")
        report = simulated.reports(name).get(rank, "")
        expect(re.match(r"[1-9]\d* groups of NCCL's aborted\n", report), f"{name}: rank {rank} aborted nothing:\n{report}")
    job.kill(victim, signal.SIGCONT)
    shop.collect(job.processes[victim])
    checkpoints_are_whole(shop, name)
    print(f"{name}, on hosts with GPUs: ended everywhere, by name; survivors aborted NCCL; checkpoints whole")


def dies_while_joining(shop, simulated, plan):
    """Others wait for groups that are still being made, which no executor could abort: their processes end."""
    hosts = Hosts()
    variables = simulated.of_hosts("joining")
    variables["rank3"] |= {"WINDLASS_SIM_FAULT": "nccl-killed:1"}
    ended = Job(shop, hosts, shop.command(plan, "joining", "--steps", 2), PLACES, **variables).start().collect()
    expect(ended.pop(3)[0] == -signal.SIGKILL, f"joining: {ended}")
    for rank, (code, output) in ended.items():
        expect(code == FAILED, f"joining: rank {rank}: exit code {code}\n{output}")
        if rank != 1:  # the first process of each host speaks for it
            expect(re.search(r"error: rank 3 \(host c\) has died", output), f"joining: rank {rank} says\n{output}")
    print("a rank that dies while groups are made: all that wait for it end, by name")


def main():
    tools, folder, simulations, mpirun = sys.argv[1], sys.argv[2], sys.argv[3], (sys.argv + [None])[4]
    reason = why_not()
    if not reason:
        in_namespaces()
    shop = Workshop(tools, folder, mpirun)
    simulated = Simulated(shop, simulations)
    call = functools.partial
    cpu, plan, shared_cpu, shared = side_by_side([call(shop.compile, "cpu", TRAINING, model=MODEL),
                                                  call(shop.compile, "gpu", TRAINING, GPUS, MODEL),
                                                  call(shop.compile, "shared-cpu", SHARED, model=MODEL),
                                                  call(shop.compile, "shared-gpu", SHARED, GPUS, MODEL)])
    shop.train(cpu, "cpu", "--steps", 6, "--checkpoint-every", 1, "--checkpoint-keep", 0)
    cases = [call(resumes, shop, simulated, plan, cpu), call(shares_operations, shop, simulated, shared, shared_cpu)]
    if reason:
        print(f"SKIP: no hosts can be made of namespaces here, so all processes are on one: {reason}")
    else:
        cases += [call(on_hosts, shop, simulated, plan),
                  call(dies, shop, simulated, plan, "killed", 3, signal.SIGKILL, "has died"),
                  call(dies_while_joining, shop, simulated, plan),
                  call(dies, shop, simulated, plan, "stopped", 2, signal.SIGSTOP, "does not answer for 5 s")]
        cases += [call(over_mpi, shop, simulated, plan)] if mpirun else []
    if not mpirun:
        print("SKIP: no mpirun, so nothing runs over MPI here")
    side_by_side(cases, at_once=3)  # simulated GPUs take all there is of a core
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
