#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a batch script finds on a cluster of Slurm, on this machine: called `scontrol`, it names the nodes of the job;
called `srun`, it starts the step, with the variables that Slurm sets for each task.

Options and variables are those of srun(1), "OUTPUT ENVIRONMENT VARIABLES", of SchedMD/slurm. PMI_* are what tasks find besides
where a cluster's MpiDefault is pmi2.
"""

import os
import pathlib
import subprocess
import sys

KNOWN = ("--cpu-bind=", "--kill-on-bad-exit=")  # what the example may say; another one is a mistake, or to be added here


def scontrol(arguments):
    if arguments != ["show", "hostnames", os.environ["SLURM_JOB_NODELIST"]]:
        sys.exit(f"scontrol: {arguments} is not asked of this stub")
    print("\n".join(["localhost"] * int(os.environ["SLURM_JOB_NUM_NODES"])))


def srun(arguments):
    while arguments and arguments[0].startswith("-"):
        if not arguments[0].startswith(KNOWN):
            sys.exit(f"srun: unrecognized option '{arguments[0]}'")
        arguments = arguments[1:]
    tasks, nodes = int(os.environ["SLURM_NTASKS"]), int(os.environ["SLURM_JOB_NUM_NODES"])
    each = tasks // nodes
    running = [subprocess.Popen(arguments, env=os.environ | {
        "SLURM_PROCID": str(task), "SLURM_LOCALID": str(task % each), "SLURM_NODEID": str(task // each),
        "SLURM_STEP_NUM_TASKS": str(tasks), "SLURM_STEP_NUM_NODES": str(nodes), "SLURM_STEP_ID": "0",
        "SLURM_STEP_TASKS_PER_NODE": f"{each}(x{nodes})", "SLURM_TASKS_PER_NODE": f"{each}(x{nodes})",
        "PMI_RANK": str(task), "PMI_SIZE": str(tasks)}) for task in range(tasks)]
    sys.exit(max(process.wait() for process in running))


if __name__ == "__main__":
    {"scontrol": scontrol, "srun": srun}[pathlib.Path(sys.argv[0]).name](sys.argv[1:])
