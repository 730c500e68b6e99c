#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three hosts: what ends a job ends it on every one of them, by name, and harms no checkpoint.

    hosts_test.py TOOLS FOLDER
"""

import functools
import re
import shutil
import signal
import sys
import time

from hosts import BOOT_ID, CUT_BETWEEN, FAILED, PLACES, PORT, Hosts, Job, SmallDisk, are_in_namespaces
from job import Workshop, checkpoints_are_whole, expect, same, side_by_side, wait_for


def says_on(ended, places, host, pattern):
    output = "".join(text for rank, (_, text) in ended.items() if places[rank] == host)
    expect(re.search(pattern, output), f"host {host} says nothing like '{pattern}':\n{ended}")


def undisturbed(shop, hosts, plan):
    """Three hosts have one process's bits; a rank that is slow for a while is no dead one; nobody listens any more."""
    shop.train(plan, "alone", "--steps", 40)
    job = Job(shop, hosts, shop.command(plan, "together", "--steps", 40, "--pace", "gg=3MB/s"), PLACES).start()
    told = shop.folder / "together" / "metrics.jsonl"
    wait_for(lambda: told.exists() and len(shop.metrics("together")) >= 3, "three steps")
    listening = {host: hosts.listening(host) for host in hosts.names}
    expect(not any(listening.values()), f"steps are made, and doors are open: {listening}")
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
    says_on(ended, PLACES, "a", r"processes +4 processes on 3 hosts, .*; host a: each on (\d+ processors? of its own|all of "
            r"\d+ processors?), host b: each on the cores it was given")
    lines = re.findall(r"^step \d/3 \|", "".join(output for _, output in ended.values()), re.MULTILINE)
    expect(len(lines) == 3, f"of three steps there are lines {lines}: {ended}")
    shop.train(plan, "not-own", "--steps", 5, "--export", shop.folder / "weights")
    ended, codes = train(5, PLACES)  # resumes, on hosts that have no checkpoint
    expect(codes == {0}, f"folders of their own, resumed: {ended}")
    says_on(ended, PLACES, "a", "after step 3")
    same(shop, "not-own", "own-a/out", 5, "val_loss")  # each run validates at its end
    expect((shop.folder / "weights").read_bytes() == (shop.folder / "own-a" / "weights").read_bytes(), "weights differ")
    for host in "bc":
        left = [str(path) for path in (shop.folder / f"own-{host}").rglob("*") if path.is_file()]
        expect(not left, f"host {host} was left {left}")
    copied_with_other_bits(shop, plan, train)
    ended, codes = train(8, ["b", "a", "a", "c"])
    expect(codes == {1}, f"another first host: {ended}")
    says_on(ended, ["b", "a", "a", "c"], "b", "host a has a checkpoint of step 7, but that of the first process, on host b, has none")
    print("a folder of each host's own: one process's checkpoints and weights; resumed; never begun again by mistake")


def copied_with_other_bits(shop, plan, train):
    """Somebody copied the newest checkpoint to host b, where the last bit of each parameter has changed: none reaches the job."""
    copy = shop.folder / "own-b" / "out" / "checkpoints"
    shutil.copytree(shop.folder / "own-a" / "out" / "checkpoints", copy)
    model = copy / "step-00000005" / "model.safetensors"
    content = bytearray(model.read_bytes())
    for at in range(8 + int.from_bytes(content[:8], "little"), len(content), 4):
        content[at] ^= 1
    model.write_bytes(content)
    ended, codes = train(7, PLACES)
    expect(codes == {0}, f"a copy with other bits: {ended}")
    shop.train(plan, "not-own", "--steps", 7)
    same(shop, "not-own", "own-a/out", 7, "val_loss")
    shutil.rmtree(copy)


def may_not_write(shop, hosts, plan):
    """A host that sees the first process's folder, but may write nothing there, hands over what it holds. Two hosts have one
    name, and are told apart by what the system calls itself since it began."""
    folder = shop.folder / "shared"
    folder.mkdir()
    command = [part for part in shop.command(plan, "shared/out", "--steps", 2) if part != "--quiet"]
    twins = {host: [] for host in "bc"}
    for host in twins:
        boot = shop.folder / f"boot-of-{host}"
        boot.write_text(f"the machine {host}\n")
        read_only = f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder} && " if host == "c" else ""
        twins[host] = ["sh", "-c", f'hostname twin && mount --bind {boot} {BOOT_ID} && {read_only}exec "$@"', "", *command]
    ended = Job(shop, hosts, [command, command, twins["b"], twins["c"]], PLACES).start().collect()
    expect(all(code == 0 for code, _ in ended.values()), f"a folder to read: {ended}")
    says_on(ended, PLACES, "a", r"writes to .*shared/out on host a; not shared by twin#2, which hands over")
    says_on(ended, PLACES, "a", r"processes +4 processes on 3 hosts")
    shop.train(plan, "not-shared", "--steps", 2)
    same(shop, "not-shared", "shared/out", 2)
    print("a folder that one host may only read: that one hands over what it holds, known before the first step; two hosts of one name are two")


def broken(shop, hosts, plan, name, how, victim, words, on=("a", "b", "c"), but=()):
    """Something happens to a job under way; all processes end, and hosts say of whom."""
    job = Job(shop, hosts, shop.forever(plan, name), PLACES).start()
    shop.under_way(name)
    began = time.monotonic()
    how(job)
    ended = job.collect(but=but)
    took = time.monotonic() - began
    for rank, (code, output) in ended.items():
        expect(code in (FAILED, -signal.SIGKILL), f"{name}: rank {rank}: exit code {code}\n{output}")
    pattern = rf"error: rank {victim} \(host {PLACES[victim]}\) {words}"
    for host in on:
        says_on(ended, PLACES, host, pattern)
    checkpoints_are_whole(shop, name)
    print(f"{name}: ended on every host, by name, in {took:.1f} s; checkpoints whole")
    return job, ended


WHERE = r".*it was last at (rank {0}, [a-z_]+ \d+ \(|the end of a step)"


def dies(shop, hosts, plan):
    broken(shop, hosts, plan, "killed", lambda job: job.kill(3, signal.SIGKILL), 3, "has died" + WHERE.format(3),
           on=("a", "b"))


def first_dies(shop, hosts, plan):
    """Whom all others are connected to: each host finds out by itself."""
    broken(shop, hosts, plan, "first-killed", lambda job: job.kill(0, signal.SIGKILL), 0, "has died" + WHERE.format(0))


def stops(shop, hosts, plan, victim=2):
    others = {place for rank, place in enumerate(PLACES) if rank != victim}
    job, _ = broken(shop, hosts, plan, f"stopped-{victim}", lambda job: job.kill(victim, signal.SIGSTOP), victim,
                    "does not answer for 5 s" + WHERE.format(victim), on=others, but=(victim,))
    job.kill(victim, signal.SIGCONT)
    code, output = shop.collect(job.processes[victim])
    expect(code == FAILED and "error: rank" in output, f"the stopped one, continued: exit code {code}\n{output}")


def loses_its_link(shop, hosts, plan):
    _, ended = broken(shop, hosts, plan, "cut-off", lambda job: hosts.cut("c"), 3,
                      "does not answer for 5 s" + WHERE.format(3), on=("a", "b"))
    says_on(ended, PLACES, "c", r"error: rank 0 \(host a\) does not answer for 5 s")


def first_loses_its_link(shop, hosts, plan):
    _, ended = broken(shop, hosts, plan, "first-cut-off", lambda job: hosts.cut("a"), 0,
                      "does not answer for 5 s" + WHERE.format(0), on=("b", "c"))
    says_on(ended, PLACES, "a", r"error: rank [23] \(host [bc]\) does not answer for 5 s")


def loses_one_link(shop, hosts, plan):
    """Everybody hears the first process, but two others do not hear each other."""
    job = Job(shop, hosts, shop.forever(plan, "cut-between"), PLACES).start()
    shop.under_way("cut-between")
    hosts.cut_between("b", "c")
    ended = job.collect()
    for host in "abc":
        says_on(ended, PLACES, host, CUT_BETWEEN)
    expect(all(code == FAILED for code, _ in ended.values()), f"cut between: {ended}")
    print("a link between two hosts cut: ended on every host, by name")


def fills_its_disk(shop, hosts, plan):
    """The disk that --out lies on is full one day."""
    disk = SmallDisk(shop, "small")
    job = Job(shop, hosts, shop.forever(plan, "small/out", "--nvme-folder", shop.folder), PLACES).start()
    shop.under_way("small/out")
    disk.fill()
    ended = job.collect()
    for host in "abc":
        says_on(ended, PLACES, host, r"error: rank 0 \(host a\): .*No space left on device")
    expect(all(code == FAILED for code, _ in ended.values()), f"full disk: {ended}")
    disk.empty()
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
        "another network": ([train, train, [*train, "--network", "mpi"], train], {},
                            r"the network: process 2 \(host b\) has MPI, but process 0 \(host a\) has TCP"),
        "another world": (train, {"rank2": {"WORLD_SIZE": "3"}},
                          r"process 2 \(host b\) was started as one of 3, but the first process \(host a\) as one of 4"),
    }
    for name, (commands, variables, pattern) in cases.items():
        ended = Job(shop, hosts, commands, PLACES, **variables).start().collect()
        for host in "abc":
            says_on(ended, PLACES, host, pattern)
        expect(all(code == 1 for code, _ in ended.values()), f"{name}: {ended}")
        expect(not (shop.folder / "differing").exists(), f"{name}: something was written")
    print(f"{', '.join(cases)}: refused on every host, by name, and nothing written")


def two_jobs_on_one_port(shop, hosts, plan):
    """The second one is refused, and the first one, which still waits for its processes, does not notice."""
    first = Job(shop, hosts, shop.command(plan, "first-job", "--steps", 2), PLACES).start(0)
    wait_for(lambda: f":{PORT}" in hosts.listening("a"), "the first job, listening")
    second = Job(shop, hosts, shop.command(plan, "second-job", "--steps", 2), PLACES, token="another").start()
    ended = second.collect()
    says_on(ended, PLACES, "a", rf"10.99.0.1:{PORT}: cannot listen, another job may")
    for host in "abc":
        says_on({rank: said for rank, said in ended.items() if rank > 0}, PLACES, host, "it has another token")
    first.start(1, 2, 3)
    for code, output in first.collect().values():
        expect(code == 0, f"the first job: exit code {code}\n{output}")
    print("two jobs on one port: the second refused on every host, the first unharmed")


def main():
    if not are_in_namespaces():
        return
    tools, folder = sys.argv[1], sys.argv[2]
    shop = Workshop(tools, folder)
    plan, other = side_by_side([functools.partial(shop.compile, "job"),
                                functools.partial(shop.compile, "other", {"zero_stage": 0})])
    cases = [undisturbed, dies, first_dies, stops, functools.partial(stops, victim=0), loses_its_link,
             first_loses_its_link, loses_one_link, fills_its_disk, folders_of_their_own, may_not_write, two_jobs_on_one_port,
             functools.partial(differ, other=other)]
    side_by_side([functools.partial(lambda case: case(shop, Hosts(), plan), case) for case in cases])
    SmallDisk.unmount(shop, "small")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
