#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three hosts under mpirun, which notices a killed process and nothing else: what ends a job ends it on every one of them, by
name, and harms no checkpoint; who is slow is waited for.

    hosts_mpi_test.py TOOLS FOLDER MPIRUN
"""

import functools
import os
import re
import shutil
import signal
import sys
import time

from hosts import CUT_BETWEEN, ENDS_WITHIN, PLACES, Hosts, SmallDisk, are_in_namespaces, mpirun_on
from job import Workshop, checkpoints_are_whole, expect, same, side_by_side, wait_for


def start(shop, hosts, command):
    return shop.start(hosts.on("a", mpirun_on(shop, hosts, PLACES, [*command, "--interface", "net0"])))


def processes_on(shop, hosts, host):
    return hosts.processes(host, os.path.realpath(shop.tools / "windlass-run"))


def slow(shop, hosts, plan):
    """One that stands still for a while is no dead one; and the bits are those of one process."""
    shop.train(plan, "alone", "--steps", 40)
    command = [part for part in shop.command(plan, "slow", "--steps", 40, "--pace", "gg=3MB/s") if part != "--quiet"]
    job = start(shop, hosts, command)
    told = shop.folder / "slow" / "metrics.jsonl"
    wait_for(lambda: told.exists() and len(shop.metrics("slow")) >= 3, "three steps")
    victim = processes_on(shop, hosts, "c")[0]
    os.kill(victim, signal.SIGSTOP)
    time.sleep(3)
    os.kill(victim, signal.SIGCONT)
    code, output = shop.collect(job)
    expect(code == 0, f"slow over MPI: exit code {code}\n{output}")
    expect(re.search(r"4 processes on 3 hosts, bytes over Open MPI v[0-9.]+, on a host from memory to memory;", output), output)
    same(shop, "alone", "slow", 40)
    print("slow, over MPI: waited for; the bits of one process")


def broken(shop, hosts, plan, out, how, words, lost=("a", "b", "c"), flags=()):
    """Something happens to a job under way. `lost`: hosts that must be empty soon."""
    job = start(shop, hosts, shop.forever(plan, out, *flags))
    shop.under_way(out, job)
    how(hosts, processes_on(shop, hosts, "c")[0])
    began = time.monotonic()
    wait_for(lambda: not any(processes_on(shop, hosts, host) for host in lost), f"the end of {out} on all hosts", ENDS_WITHIN)
    took = time.monotonic() - began
    hosts.join("c")  # a launcher that was cut off hands on what was said
    output = shop.end(job, grace=5)
    expect(re.search(words, output), f"{out}: nothing like '{words}':\n{output}")
    print(f"{out}, over MPI: ended on every host, by name, in {took:.1f} s; checkpoints whole")


BROKEN = {
    "killed": {"how": lambda hosts, process: os.kill(process, signal.SIGKILL), "words": r"error: rank 3 \(host c\) has died"},
    "stopped": {"how": lambda hosts, process: os.kill(process, signal.SIGSTOP),
                "words": r"error: rank 3 \(host c\) does not answer for 5 s", "lost": ("a", "b")},
    "cut-between": {"how": lambda hosts, process: hosts.cut_between("b", "c"), "words": CUT_BETWEEN},
    "cut-off": {"how": lambda hosts, process: hosts.cut("c"), "words": r"error: rank 3 \(host c\) does not answer for 5 s"},
}


def named(shop, hosts, plan, name):
    broken(shop, hosts, plan, name, **BROKEN[name])
    checkpoints_are_whole(shop, name)


def fills_its_disk(shop, hosts, plan):
    disk = SmallDisk(shop, "small")
    broken(shop, hosts, plan, "small/out", lambda *_: disk.fill(),
           r"error: rank [0-3] \(host [abc]\): .*No space left on device", flags=("--nvme-folder", shop.folder))
    disk.empty()
    checkpoints_are_whole(shop, "small/out")


def main():
    if not are_in_namespaces():
        return
    shop = Workshop(*sys.argv[1:])
    plan = shop.compile("job")
    cases = [slow, fills_its_disk, *(functools.partial(named, name=name) for name in BROKEN)]
    side_by_side([functools.partial(lambda case: case(shop, Hosts(), plan), case) for case in cases])
    SmallDisk.unmount(shop, "small")
    shutil.rmtree(shop.folder)


if __name__ == "__main__":
    main()
