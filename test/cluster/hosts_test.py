#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three hosts: what ends a job ends it on every one of them, by name, and harms no checkpoint.

    hosts_test.py TOOLS FOLDER [MPIRUN]
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

from hosts import Hosts, in_namespaces, why_not
from job import Workshop, checkpoints_are_whole, expect, same, wait_for

PLACES = ["a", "a", "b", "c"]  # the host of each process, one rank each
PORT = 29400
FAILED = 4
ENDS_WITHIN = 20  # seconds: ten are promised, to a machine that has nothing else to do


class Job:
    """Processes that somebody started host by host, as torchrun does."""

    def __init__(self, shop, hosts, commands, places=tuple(PLACES), token="secret", own=None, **variables):
        self.shop, self.places, self.own, self.processes = shop, places, own, []
        self.common = {"WORLD_SIZE": str(len(places)), "MASTER_ADDR": hosts.address(places[0]), "MASTER_PORT": str(PORT),
                       "WINDLASS_JOB_TOKEN": token}
        self.hosts, self.commands, self.variables = hosts, commands, variables

    def start(self, *ranks):
        for rank in ranks or range(len(self.places)):
            said = self.common | {"RANK": str(rank)} | self.variables.get(f"rank{rank}", {})
            command = self.commands[rank] if isinstance(self.commands[0], list) else self.commands
            self.processes.append(self.shop.start(self.hosts.on(self.places[rank], command, self.own), said))
        return self

    def collect(self, but=()):
        """Of each process exit code and output, in ENDS_WITHIN seconds from now."""
        until = time.monotonic() + ENDS_WITHIN
        return {rank: self.shop.collect(process, max(0.1, until - time.monotonic()))
                for rank, process in enumerate(self.processes) if rank not in but}

    def kill(self, rank, number):
        os.kill(self.processes[rank].pid, number)


def says_on(ended, places, host, pattern):
    output = "".join(text for rank, (_, text) in ended.items() if places[rank] == host)
    expect(re.search(pattern, output), f"host {host} says nothing like '{pattern}':\n{ended}")


def forever(shop, plan, out, *flags):
    # On links as slow as this a rank is seldom between two steps, where it has no instruction to be at.
    return shop.command(plan, out, "--steps", 1000000, "--checkpoint-every", 5, "--pace", "gg=3MB/s", *flags)


def under_way(shop, out):
    wait_for(lambda: len(shop.steps(out)) >= 2, f"two checkpoints in {out}")
    time.sleep(2)  # each has said where it is, once a second


def undisturbed(shop, hosts, plan):
    """Three hosts have one process's bits; a rank that is slow for a while is no dead one."""
    shop.train(plan, "alone", "--steps", 40)
    job = Job(shop, hosts, shop.command(plan, "together", "--steps", 40, "--pace", "gg=3MB/s")).start()
    told = shop.folder / "together" / "metrics.jsonl"
    wait_for(lambda: told.exists() and len(shop.metrics("together")) >= 3, "three steps")
    job.kill(2, signal.SIGSTOP)
    time.sleep(3)
    job.kill(2, signal.SIGCONT)
    for code, output in job.collect().values():
        expect(code == 0, f"together: exit code {code}\n{output}")
    same(shop, "alone", "together", 40)
    print("three hosts: the bits of one process; a slow rank is waited for")


def folders_of_their_own(shop, hosts, plan):
    """Each host has a folder of one name: the first process's has the run, and the others' get nothing."""
    own = shop.folder / "own"
    for folder in (own, *(shop.folder / f"own-{host}" for host in hosts.names)):
        folder.mkdir()

    def train(steps, places, *flags):
        command = shop.command(plan, "own/out", "--steps", steps, "--export", own / "weights", *flags)
        ended = Job(shop, hosts, [part for part in command if part != "--quiet"], places, own=own).start().collect()
        return ended, {code for code, _ in ended.values()}

    ended, codes = train(3, PLACES)
    expect(codes == {0}, f"folders of their own: {ended}")
    says_on(ended, PLACES, "a", r"writes to .*own/out on host a; not shared by b, c, which hands over")
    shop.train(plan, "not-own", "--steps", 5, "--export", shop.folder / "weights")
    ended, codes = train(5, PLACES)  # resumes, on hosts that have no checkpoint
    expect(codes == {0}, f"folders of their own, resumed: {ended}")
    says_on(ended, PLACES, "a", "after step 3")
    same(shop, "not-own", "own-a/out", 5, "val_loss")  # each run validates at its end
    expect((shop.folder / "weights").read_bytes() == (shop.folder / "own-a" / "weights").read_bytes(), "weights differ")
    for host in "bc":
        left = [str(path) for path in (shop.folder / f"own-{host}").rglob("*") if path.is_file()]
        expect(not left, f"host {host} was left {left}")
    ended, codes = train(7, ["b", "a", "a", "c"])
    expect(codes == {1}, f"another first host: {ended}")
    says_on(ended, ["b", "a", "a", "c"], "b", "host a has a checkpoint of step 5, but that of the first process, on host b, has none")
    print("a folder of each host's own: one process's checkpoints and weights; resumed; never begun again by mistake")


def broken(shop, hosts, plan, name, how, victim, words, on=("a", "b", "c"), but=()):
    """Something happens to a job under way; all processes end, and hosts say of whom."""
    job = Job(shop, hosts, forever(shop, plan, name)).start()
    under_way(shop, name)
    began = time.monotonic()
    how(job)
    ended = job.collect(but)
    took = time.monotonic() - began
    for rank, (code, output) in ended.items():
        expect(code in (FAILED, -signal.SIGKILL), f"{name}: rank {rank}: exit code {code}\n{output}")
    pattern = rf"error: rank {victim} \(host {PLACES[victim]}\) {words}"
    for host in on:
        says_on(ended, PLACES, host, pattern)
    checkpoints_are_whole(shop, name)
    print(f"{name}: ended on every host, by name, in {took:.1f} s; checkpoints whole")
    return job, ended


def dies(shop, hosts, plan):
    broken(shop, hosts, plan, "killed", lambda job: job.kill(3, signal.SIGKILL), 3,
           r"has died.*it was last at (rank 3, [a-z_]+ \d+ \(|the end of a step)", on=("a", "b"))


def stops(shop, hosts, plan):
    job, _ = broken(shop, hosts, plan, "stopped", lambda job: job.kill(2, signal.SIGSTOP), 2, "does not answer for 5 s",
                    on=("a", "c"), but=(2,))
    job.kill(2, signal.SIGCONT)
    code, output = shop.collect(job.processes[2])
    expect(code == FAILED and "error: rank" in output, f"the stopped one, continued: exit code {code}\n{output}")


def loses_its_link(shop, hosts, plan):
    _, ended = broken(shop, hosts, plan, "cut-off", lambda job: hosts.cut("c"), 3, "does not answer for 5 s", on=("a", "b"))
    says_on(ended, PLACES, "c", r"error: rank 0 \(host a\) does not answer for 5 s")
    hosts.join("c")


def loses_one_link(shop, hosts, plan):
    """Everybody hears the first process, but two others do not hear each other."""
    job = Job(shop, hosts, forever(shop, plan, "cut-between")).start()
    under_way(shop, "cut-between")
    hosts.cut_between("b", "c")
    ended = job.collect()
    hosts.mend_between("b", "c")
    for host in "abc":
        says_on(ended, PLACES, host, r"error: rank [23] \(host [bc]\): .*process [23] at 10.99.0.[23]:\d+ cannot be reached")
    expect(all(code == FAILED for code, _ in ended.values()), f"cut between: {ended}")
    print("a link between two hosts cut: ended on every host, by name")


def fills_its_disk(shop, hosts, plan):
    """The disk that --out lies on is full one day."""
    folder = shop.folder / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", folder], check=True)
    job = Job(shop, hosts, forever(shop, plan, "small/out", "--nvme-folder", shop.folder)).start()
    under_way(shop, "small/out")
    try:
        with open(folder / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
    except OSError:
        pass  # full
    ended = job.collect()
    for host in "abc":
        says_on(ended, PLACES, host, r"error: (rank 0 \(host a\): )?.*No space left on device")
    expect(all(code == FAILED for code, _ in ended.values()), f"full disk: {ended}")
    (folder / "filler").unlink()
    checkpoints_are_whole(shop, "small/out")
    print("a full disk: ended on every host, by name; checkpoints whole")


def differ(shop, hosts, plan, other):
    """What differs is refused on every host, before the first step."""
    train = shop.command(plan, "differing", "--steps", 2)
    of_another = [*train]
    of_another[1] = other
    newer = shop.folder / "newer"
    newer.write_bytes((shop.tools / "windlass-run").read_bytes().replace(shop.version.encode(), b"9.9.9"))
    newer.chmod(0o755)
    cases = {
        "another plan": ([train, train, of_another, train], {}, r"the plan's hash: rank 2 \(host b\) has"),
        "another version": ([train, train, train, [newer, *train[1:]]], {},
                            r"process 3 \(host c\) is Windlass 9.9.9, but the first process \(host a\) is"),
        "another world": (train, {"rank2": {"WORLD_SIZE": "3"}},
                          r"process 2 \(host b\) was started as one of 3, but the first process \(host a\) as one of 4"),
    }
    for name, (commands, variables, pattern) in cases.items():
        ended = Job(shop, hosts, commands, **variables).start().collect()
        for host in "abc":
            says_on(ended, PLACES, host, pattern)
        expect(all(code == 1 for code, _ in ended.values()), f"{name}: {ended}")
        expect(not (shop.folder / "differing").exists(), f"{name}: something was written")
    print(f"{', '.join(cases)}: refused on every host, by name, and nothing written")


def two_jobs_on_one_port(shop, hosts, plan):
    """The second one is refused, and the first one, which still waits for its processes, does not notice."""
    first = Job(shop, hosts, shop.command(plan, "first-job", "--steps", 2)).start(0)
    wait_for(lambda: ":%d" % PORT in subprocess.run(["ip", "netns", "exec", "a", "ss", "-ltn"], stdout=subprocess.PIPE,
                                                    check=True).stdout.decode(), "the first job, listening")
    second = Job(shop, hosts, shop.command(plan, "second-job", "--steps", 2), token="another").start()
    ended = second.collect()
    says_on(ended, PLACES, "a", rf"10.99.0.1:{PORT}: cannot listen, another job may")
    for host in "abc":
        says_on({rank: said for rank, said in ended.items() if rank > 0}, PLACES, host, "it has another token")
    first.start(1, 2, 3)
    for code, output in first.collect().values():
        expect(code == 0, f"the first job: exit code {code}\n{output}")
    print("two jobs on one port: the second refused on every host, the first unharmed")


def over_mpi(shop, hosts, plan):
    """The same over MPI, whose launcher notices a killed process and nothing else."""
    def start(out):
        launcher = [shop.mpirun, "--bind-to", "none", "-np", 4, "-H", "a:2,b:1,c:1", "--mca", "plm_rsh_agent",
                    hosts.agent(shop.folder), "--mca", "btl", "tcp,self,vader", "--mca", "btl_tcp_if_include", "net0",
                    "--mca", "oob_tcp_if_include", "net0", "--mca", "plm_rsh_no_tree_spawn", "1"]
        return shop.start(hosts.on("a", [*launcher, *forever(shop, plan, out, "--interface", "net0")]))

    def trainers(host):
        found = subprocess.run(["ip", "netns", "pids", host], stdout=subprocess.PIPE, check=True).stdout.decode().split()
        return [int(process) for process in found if program_of(process) == os.path.realpath(shop.tools / "windlass-run")]

    def program_of(process):
        try:
            return os.readlink(f"/proc/{process}/exe")
        except FileNotFoundError:
            return ""

    cases = {"killed-over-mpi": (lambda: os.kill(trainers("c")[0], signal.SIGKILL), r"rank 3 \(host c\) has died"),
             "stopped-over-mpi": (lambda: os.kill(trainers("c")[0], signal.SIGSTOP), r"rank 3 \(host c\) does not answer for 5 s"),
             "cut-between-over-mpi": (lambda: hosts.cut_between("b", "c"),
                                      r"rank [23] \(host [bc]\): process [23] \(host [cb]\) cannot be reached any more"),
             "cut-off-over-mpi": (lambda: hosts.cut("c"), r"rank 3 \(host c\) does not answer for 5 s")}
    for name, (how, words) in cases.items():
        job = start(name)
        under_way(shop, name)
        how()
        began = time.monotonic()
        lost = ("a", "b") if name == "stopped-over-mpi" else ("a", "b", "c")
        wait_for(lambda: not any(trainers(host) for host in lost), f"the end of {name} on all hosts", ENDS_WITHIN)
        took = time.monotonic() - began
        hosts.join("c")
        if name == "cut-between-over-mpi":
            hosts.mend_between("b", "c")
        output = shop.end(job, grace=5)  # in which a launcher that still can hands on what was said
        expect(re.search(f"error: {words}", output), f"{name}: nothing like '{words}':\n{output}")
        checkpoints_are_whole(shop, name)
        print(f"{name}: ended on every host, by name, in {took:.1f} s; checkpoints whole")


def main():
    reason = why_not()
    if reason:
        print(f"SKIP: no hosts can be made of namespaces here: {reason}")
        return
    in_namespaces()
    tools, folder, mpirun = sys.argv[1], sys.argv[2], (sys.argv + [None])[3]
    shop, hosts = Workshop(tools, folder, mpirun), Hosts()
    plan, other = shop.compile("job"), shop.compile("other", {"zero_stage": 0})
    differ(shop, hosts, plan, other)
    two_jobs_on_one_port(shop, hosts, plan)
    undisturbed(shop, hosts, plan)
    folders_of_their_own(shop, hosts, plan)
    for case in (dies, stops, loses_its_link, loses_one_link, fills_its_disk):
        case(shop, hosts, plan)
    if mpirun:
        over_mpi(shop, hosts, plan)
    else:
        print("SKIP: no mpirun, so no job dies over MPI here")
    subprocess.run(["umount", shop.folder / "small"], check=True)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
