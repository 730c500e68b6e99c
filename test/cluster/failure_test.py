#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A rank that dies, stops, or is another job's ends the job everywhere, by name, and harms no checkpoint.

    failure_test.py TOOLS FOLDER [MPIRUN]
"""

import functools
import os
import re
import shutil
import signal
import socket
import sys

from job import Workshop, checkpoints_are_whole, expect, processes_under, same, side_by_side, wait_for

FAILED = 4  # the exit code of a lost rank


def alive(process):
    """Whether a process is there, and no zombie."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def ranks_of(job, tool):
    """The processes of a job that train, first rank first: they say so in their environment."""
    found = {}
    for process in processes_under(job.pid):
        try:
            with open(f"/proc/{process}/environ", "rb") as environment:
                variables = dict(entry.split(b"=", 1) for entry in environment.read().split(b"\0") if b"=" in entry)
            program = os.readlink(f"/proc/{process}/exe")
        except (FileNotFoundError, PermissionError):
            continue
        rank = variables.get(b"OMPI_COMM_WORLD_RANK", variables.get(b"RANK"))
        if rank and program == os.path.realpath(tool):
            found[int(rank)] = process
    return [found[rank] for rank in sorted(found)]


def broken(shop, plan, out, how, ranks, mpi=False):
    """A job that trains for ever, until `how` is done to its processes after its second checkpoint."""
    command = shop.forever(plan, out)
    launcher = [shop.mpirun, "--oversubscribe", "--bind-to", "none", "-np", ranks] if mpi else []
    job = shop.start([*launcher, *command] if mpi else [*command, "--ranks", ranks])
    shop.under_way(out, job)
    processes = ranks_of(job, shop.tools / "windlass-run")
    expect(len(processes) == ranks, f"{out}: {processes} are not the {ranks} processes of the job")
    how(processes)
    code, output = shop.collect(job)
    wait_for(lambda: not any(alive(process) for process in processes), f"the end of all processes of {out}")
    return code, output


def dies(shop, plan, name, rank, number, words, mpi=False):
    code, output = broken(shop, plan, name, lambda processes: os.kill(processes[rank], number), 4, mpi)
    expect(code != 0 if mpi else code == FAILED, f"{name}: exit code {code}\n{output}")
    pattern = rf"error: rank {rank} \(host [^)]+\) {words}.*it was last at (rank {rank}, [a-z_]+ \d+ \(|the end of a step)"
    expect(re.search(pattern, output), f"{name}: nothing like '{pattern}' in:\n{output}")
    checkpoints_are_whole(shop, name)
    print(f"{name}: named, ended on all processes, checkpoints whole")


def goes_on_after_a_death_on_a_mesh(shop, plan):
    """Of tensor ranks in two stages, the last stage's first rank dies: what goes on has the bits of a run that nobody killed."""
    dies(shop, plan, "killed-on-a-mesh", 2, signal.SIGKILL, "has died")
    step = int(shop.steps("killed-on-a-mesh")[-1].removeprefix("step-")) + 1
    shop.train(plan, "killed-on-a-mesh", "--steps", step)
    shop.train(plan, "whole-on-a-mesh", "--steps", step)
    same(shop, "killed-on-a-mesh", "whole-on-a-mesh", step)
    print(f"killed on a mesh: goes on to step {step} with the bits of a run without an end")


def stops_when_asked(shop, plan):
    """A signal to one of them is a wish of all: a checkpoint, and no failure."""
    code, output = broken(shop, plan, "asked", lambda processes: os.kill(processes[2], signal.SIGTERM), 4)
    expect(code == 0, f"asked to stop: exit code {code}\n{output}")
    checkpoints_are_whole(shop, "asked")
    print("asked to stop: all did, after a checkpoint")


def all_killed(shop, plan):
    """Processes that all end at once, as where a machine's memory is short, say nothing; who started them does."""
    def kill(processes):
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in processes:
                os.kill(process, number)

    code, output = broken(shop, plan, "all-killed", kill, 4)
    words = 'error: --ranks: every process was ended by a signal, the first one by "Killed"'
    expect(code == FAILED and words in output, f"all killed: exit code {code}, no '{words}' in:\n{output}")
    checkpoints_are_whole(shop, "all-killed")
    print("all killed: said by who started them, checkpoints whole")


def late(shop, plan, name, mpi):
    """A process that lives and comes later than a silent one is waited for has all the time that collectives allow, and is named
    where that is over."""
    patient, impatient = [shop.command(plan, f"{name}-{how}", "--steps", 1) for how in ("patient", "impatient")]
    impatient += ["--collective-timeout", 2]
    slow = ["--pace", "cg_in=1GB/s+1.2s"]  # of the second process: five uploads, 6 s, lie before its first collective

    def ended(command):
        if not mpi:
            return two(shop, [command, command + slow])
        command = [*command, "--network", "mpi"]
        return [shop.run([shop.mpirun, "--oversubscribe", "--bind-to", "none", "-np", 1, *command, ":", "-np", 1, *command, *slow])]

    shop.train(plan, f"{name}-alone", "--steps", 1)
    for code, output in ended(patient):
        expect(code == 0, f"{name}: exit code {code}\n{output}")
    same(shop, f"{name}-alone", f"{name}-patient", 1)
    result = ended(impatient)
    pattern = (r"error: step 1: rank [01], gg \d+ \([a-z_]+ .*\): ranks 2 to 3 \(host [^)]+\) did not come to this exchange within "
               r"2.00 s, all that --collective-timeout allows")
    expect(re.search(pattern, result[0][1]), f"{name}: nothing like '{pattern}' in:\n{result}")
    expect(all(code == FAILED for code, _ in result), f"{name}: {result}")
    print(f"{name}: waited for beyond the deadline of silence, with one process's bits; named after that of collectives")


def refused(shop, plan, flags, variables, words, code=1):
    found, output = shop.run(shop.command(plan, "refused", *flags), variables)
    expect(found == code and words in output, f"no '{words}' (exit code {found}):\n{output}")


def mistakes_are_refused(shop, plan):
    refused(shop, plan, ["--ranks", 3], {}, f"{plan}: the plan's 4 ranks cannot be shared out evenly to 3 processes")
    launched = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
    refused(shop, plan, ["--ranks", 2], launched | {"WINDLASS_JOB_TOKEN": "s"}, "--ranks starts processes, but")
    refused(shop, plan, ["--ranks", 2, "--network", "mpi"], {}, "--ranks starts processes that do not speak MPI")
    refused(shop, plan, [], launched, "WINDLASS_JOB_TOKEN is not set")
    refused(shop, plan, ["--interface", "nowhere"], launched | {"WINDLASS_JOB_TOKEN": "s"}, "no network interface")
    refused(shop, plan, ["--ranks", 2, "--executor", "reference"], {}, "runs all ranks in one process")
    print("mistakes of the command line and the environment: refused, in words")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def two(shop, commands, strangers=0):
    """Two processes that somebody else launched, as torchrun does; strangers come first."""
    port = free_port()
    common = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WINDLASS_JOB_TOKEN": "secret"}
    jobs = [shop.start(commands[0], common | {"RANK": "0"})]
    connections = []

    def knock():
        try:
            connections.append(socket.create_connection(("127.0.0.1", port), timeout=5))
        except ConnectionRefusedError:
            return False
        connections[-1].sendall(b"GET / HTTP/1.0\r\n\r\n" * (len(connections) % 2) * 9)
        return True

    for _ in range(strangers):
        wait_for(knock, "a process that listens")
    jobs.append(shop.start(commands[1], common | {"RANK": "1"}))
    ended = [shop.collect(job) for job in jobs]
    for connection in connections:
        connection.close()
    return ended


def strangers_and_differences(shop, plan, other):
    train = shop.command(plan, "strangers", "--steps", 2)
    for code, output in two(shop, [train, train], strangers=3):
        expect(code == 0, f"strangers: exit code {code}\n{output}")
    print("strangers: refused, and the job went on")
    ended = two(shop, [train, shop.command(other, "strangers", "--steps", 2)])
    expect([code for code, _ in ended] == [1, 1], f"another plan: {ended}")
    expect(re.search(r"the plan's hash: ranks 2 to 3 \(host .*\) has \w+, but ranks 0 to 1 ", ended[0][1]),
           f"another plan: {ended}")
    text = shop.folder / "other.txt"
    text.write_text("something else altogether. " * 300)
    otherwise = [text if part == shop.data else part for part in train]
    ended = two(shop, [train, otherwise])
    expect("the data" in ended[0][1] and [code for code, _ in ended] == [1, 1], f"other data: {ended}")
    ended = two(shop, [train, shop.command(plan, "elsewhere", "--steps", 2)])
    expect("--out: ranks 2 to 3" in ended[0][1] and [code for code, _ in ended] == [1, 1], f"another folder: {ended}")
    print("another plan, other data, another folder: refused before the first step, by name")


def main():
    tools, folder, mpirun = sys.argv[1], sys.argv[2], (sys.argv + [None])[3]
    shop = Workshop(tools, folder, mpirun)
    call = functools.partial
    mesh = {"parallel": {"data": None, "tensor": 2, "pipeline": 2}}
    plan, other, meshed, short = side_by_side([
        call(shop.compile, "job"), call(shop.compile, "other", {"zero_stage": 0}), call(shop.compile, "mesh", mesh),
        call(shop.compile, "short", {"micro_batches": 1, "validation": None})])
    cases = [call(dies, shop, plan, "stopped", 1, signal.SIGSTOP, "does not answer for 5 s"),
             call(dies, shop, plan, "killed", 2, signal.SIGKILL, "has died"),
             call(dies, shop, plan, "first-killed", 0, signal.SIGKILL, "has died"),
             call(goes_on_after_a_death_on_a_mesh, shop, meshed),
             call(stops_when_asked, shop, plan),
             call(all_killed, shop, plan),
             call(mistakes_are_refused, shop, plan),
             call(strangers_and_differences, shop, plan, other),
             call(late, shop, short, "late", mpi=False)]
    if mpirun:
        cases += [call(dies, shop, plan, "stopped-over-mpi", 1, signal.SIGSTOP, "does not answer for 5 s", mpi=True),
                  call(dies, shop, plan, "killed-over-mpi", 3, signal.SIGKILL, "has died", mpi=True),
                  call(late, shop, short, "late-over-mpi", mpi=True)]
    else:
        print("skipped: no mpirun, so no job dies over MPI here")
    side_by_side(cases)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
