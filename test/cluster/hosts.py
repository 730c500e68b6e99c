# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Three hosts of one machine: network namespaces on a switch, each with a name of its own.

A test that wants them runs in namespaces of its own for processes and mounts (`in_namespaces`), which end with it: no
process, mount or network outlives the test, however it ends.
"""

import os
import pathlib
import subprocess
import sys

SWITCH, BRIDGE, INTERFACE = "switch", "bridge0", "net0"
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


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True)


class Hosts:
    def __init__(self, names=("a", "b", "c")):
        self.names = names
        ip("netns", "add", SWITCH)
        ip("-n", SWITCH, "link", "add", "name", BRIDGE, "type", "bridge")
        ip("-n", SWITCH, "link", "set", BRIDGE, "up")
        for name in names:
            ip("netns", "add", name)
            ip("link", "add", "name", f"to-{name}", "netns", SWITCH, "type", "veth", "peer", "name", INTERFACE, "netns", name)
            ip("-n", SWITCH, "link", "set", f"to-{name}", "up")
            ip("-n", name, "addr", "add", f"{self.address(name)}/24", "dev", INTERFACE)
            ip("-n", name, "link", "set", INTERFACE, "up")
            ip("-n", name, "link", "set", "lo", "up")
            self.join(name)

    def address(self, name):
        return f"10.99.0.{1 + self.names.index(name)}"

    def join(self, name):
        ip("-n", SWITCH, "link", "set", f"to-{name}", "master", BRIDGE)

    def cut(self, name):
        """Nothing that the host sends arrives, and it hears nothing; its own end of the link looks as ever."""
        ip("-n", SWITCH, "link", "set", f"to-{name}", "nomaster")

    def cut_between(self, one, other):
        """The two hear nothing of each other, and all others still hear both: frames go to nobody's address."""
        for name, far in ((one, other), (other, one)):
            ip("-n", name, "neigh", "replace", self.address(far), "lladdr", "02:00:00:00:00:01", "dev", INTERFACE,
               "nud", "permanent")

    def mend_between(self, one, other):
        for name, far in ((one, other), (other, one)):
            ip("-n", name, "neigh", "del", self.address(far), "dev", INTERFACE)

    @staticmethod
    def on(name, command, own=None):
        """A command line, as one of that host. `own`: a folder of which each host has one for itself, OWN-NAME."""
        # Launchers tell hosts apart by their names, and messages do, too.
        script = 'hostname "$0" && ' + (f'mount --bind {own}-{name} {own} && ' if own else "") + 'exec "$@"'
        return ["ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", script, name, *command]

    def agent(self, folder):
        """What mpirun calls in the place of ssh: AGENT HOST COMMAND..."""
        path = pathlib.Path(folder) / "agent.sh"
        path.write_text('#!/bin/sh\nhost=$1\nshift\nexec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"\n')
        path.chmod(0o755)
        return path
