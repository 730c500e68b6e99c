# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three hosts of one machine: network namespaces on a switch, each with a name of its own; and as many such sets as a
test wants side by side.

A test that wants them runs in namespaces of its own for processes and mounts (`in_namespaces`), which end with it: no
process, mount or network outlives the test, however it ends.
"""

import itertools
import os
import pathlib
import subprocess
import sys
import time

BRIDGE, INTERFACE = "bridge0", "net0"
PORT = 29400
BOOT_ID = "/proc/sys/kernel/random/boot_id"  # one for all hosts here: they are told apart by their names
PLACES = ["a", "a", "b", "c"]  # the host of each process, one rank each
FAILED = 4  # the exit code of a job that lost a rank, or something else
ENDS_WITHIN = 20  # seconds: ten are promised, to a machine that has nothing else to do
CUT_BETWEEN = (r"error: rank ([23]) \(host [bc]\) does not reach rank [23] \(host [cb]\) any more, though that one lives: "
               r"the link between them is cut; it was last at (rank \1, [a-z_]+ \d+ \(|the end of a step)")
UNSHARE = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


def why_not():
    """Why no hosts can be made here; None where they can."""
    try:
        done = subprocess.run([*UNSHARE, "sh", "-c", "mount -t tmpfs none /run && ip netns add probe && "
                               "ip -n probe link add name bridge0 type bridge && unshare --uts hostname probe"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    except FileNotFoundError as missing:
        return f"no {missing.filename}"
    return None if done.returncode == 0 else done.stdout.decode().strip() or "namespaces are refused"


def in_namespaces():
    """Runs this script again in namespaces of its own, and ends with its exit code; returns in there."""
    if os.environ.get("WINDLASS_TEST_NAMESPACES"):
        subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
        return
    environment = dict(os.environ, WINDLASS_TEST_NAMESPACES="1")
    sys.exit(subprocess.run([*UNSHARE, sys.executable, "-B", *sys.argv], env=environment, check=False).returncode)


def are_in_namespaces():
    """Whether the test has namespaces now; says why it has none."""
    reason = why_not()
    if reason:
        print(f"SKIP: no hosts can be made of namespaces here: {reason}")
        return False
    in_namespaces()
    return True


def ip(*arguments, lines=None):
    """One command, or several, a line each."""
    subprocess.run(["ip", *arguments, *(["-batch", "-"] if lines else [])], check=True,
                   input="\n".join(lines).encode() if lines else None)


class Hosts:
    sets = itertools.count()

    def __init__(self, names=("a", "b", "c")):
        number = next(Hosts.sets)
        self.names, self.switch = names, f"switch{number}"
        self.spaces = {name: f"{name}{number}" for name in names}
        ip(lines=[f"netns add {space}" for space in (self.switch, *self.spaces.values())] + [
            f"link add name to-{name} netns {self.switch} type veth peer name {INTERFACE} netns {space}"
            for name, space in self.spaces.items()])
        ip("-n", self.switch, lines=[f"link add name {BRIDGE} type bridge", f"link set {BRIDGE} up"] + [
            f"link set to-{name} master {BRIDGE} up" for name in names])
        for name, space in self.spaces.items():
            ip("-n", space, lines=[f"addr add {self.address(name)}/24 dev {INTERFACE}", f"link set {INTERFACE} up",
                                   "link set lo up"])

    def address(self, name):
        return f"10.99.0.{1 + self.names.index(name)}"

    def join(self, name):
        ip("-n", self.switch, "link", "set", f"to-{name}", "master", BRIDGE)

    def cut(self, name):
        """Nothing that the host sends arrives, and it hears nothing; its own end of the link looks as ever."""
        ip("-n", self.switch, "link", "set", f"to-{name}", "nomaster")

    def cut_between(self, one, other):
        """The two hear nothing of each other, and all others still hear both: frames go to nobody's address."""
        for name, far in ((one, other), (other, one)):
            ip("-n", self.spaces[name], "neigh", "replace", self.address(far), "lladdr", "02:00:00:00:00:01", "dev",
               INTERFACE, "nud", "permanent")

    def on(self, name, command, own=None):
        """A command line, as one of that host. `own`: a folder of which each host has one for itself, OWN-NAME."""
        # Launchers tell hosts apart by their names, and messages do, too.
        script = 'hostname "$0" && ' + (f'mount --bind {own}-{name} {own} && ' if own else "") + 'exec "$@"'
        return ["ip", "netns", "exec", self.spaces[name], "unshare", "--uts", "sh", "-c", script, name, *command]

    def agent(self, folder):
        """What mpirun calls in the place of ssh: AGENT HOST COMMAND..."""
        path = pathlib.Path(folder) / f"agent-{self.switch}.sh"
        path.write_text('#!/bin/sh\nhost=$1\nshift\nexec ip netns exec "$host"' + self.switch.removeprefix("switch") +
                        ' unshare --uts sh -c "hostname $host; $*"\n')
        path.chmod(0o755)
        return path

    def listening(self, name):
        """Where somebody waits for connections there."""
        return subprocess.run(["ip", "netns", "exec", self.spaces[name], "ss", "-H", "-ltn"], stdout=subprocess.PIPE,
                              check=True).stdout.decode()

    def processes(self, name, program):
        """The numbers of those that run a program there."""
        found = subprocess.run(["ip", "netns", "pids", self.spaces[name]], stdout=subprocess.PIPE, check=True)
        return [int(process) for process in found.stdout.split() if program_of(process.decode()) == program]


class SmallDisk:
    """A folder on a disk of its own, which can be filled."""

    def __init__(self, shop, name):
        self.folder = shop.folder / name
        self.folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "none", self.folder], check=True)

    def fill(self):
        try:
            with open(self.folder / "filler", "wb", buffering=0) as filler:
                while True:
                    filler.write(bytes(4096))
        except OSError:
            pass  # full

    def empty(self):
        (self.folder / "filler").unlink()

    @staticmethod
    def unmount(shop, name):
        subprocess.run(["umount", shop.folder / name], check=True)


class Job:
    """Processes that somebody started host by host, as torchrun does."""

    def __init__(self, shop, hosts, commands, places, token="secret", own=None, **variables):
        """`commands`: of all, or a list of each; `rank2`: what the environment of one has besides."""
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

    def collect(self, seconds=ENDS_WITHIN, but=()):
        """Of each process exit code and output, in so many seconds from now."""
        until = time.monotonic() + seconds
        return {rank: self.shop.collect(process, max(0.1, until - time.monotonic()))
                for rank, process in enumerate(self.processes) if rank not in but}

    def kill(self, rank, number):
        os.kill(self.processes[rank].pid, number)


def mpirun_on(shop, hosts, places, command, exported=()):
    """What the first host is to run, so that mpirun starts a process at each of the places."""
    counts = ",".join(f"{host}:{places.count(host)}" for host in dict.fromkeys(places))
    return [shop.mpirun, "--bind-to", "none", "-np", len(places), "-H", counts, "--mca", "plm_rsh_agent",
            hosts.agent(shop.folder), "--mca", "btl", "tcp,self,vader", "--mca", "btl_tcp_if_include", INTERFACE,
            "--mca", "oob_tcp_if_include", INTERFACE, "--mca", "plm_rsh_no_tree_spawn", "1",
            *(part for name in exported for part in ("-x", name)), *command]


def program_of(process):
    try:
        return os.readlink(f"/proc/{process}/exe")
    except FileNotFoundError:
        return ""
