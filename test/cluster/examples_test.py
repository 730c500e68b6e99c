#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of examples/cluster start jobs as they stand, but for names.

    examples_test.py TOOLS FOLDER EXAMPLES [MPIRUN]
"""

import os
import pathlib
import re
import shutil
import sys

from job import Workshop, expect, same

STEPS = 3
SBATCH = {"job-name", "nodes", "ntasks-per-node", "cpus-per-task", "time", "signal"}  # of sbatch(1)

# Types of what the file says, by path, as the operator's CustomResourceDefinition has them: kubeflow/mpi-operator,
# manifests/base/kubeflow.org_mpijobs.yaml of July 2026, version v2beta1. What it takes for words, pkg/apis/kubeflow/validation.
CONTAINER = "spec.mpiReplicaSpecs.*.template.spec.containers.[]"
VOLUME = "spec.mpiReplicaSpecs.*.template.spec.volumes.[]"
FIELDS = {
    "apiVersion": {"kubeflow.org/v2beta1"},
    "kind": {"MPIJob"},
    "metadata.name": str,
    "spec.slotsPerWorker": int,
    "spec.runPolicy.cleanPodPolicy": {"None", "Running", "All"},
    "spec.mpiReplicaSpecs.*.replicas": int,
    "spec.mpiReplicaSpecs.*.restartPolicy": {"Never", "OnFailure"},
    f"{CONTAINER}.name": str,
    f"{CONTAINER}.image": str,
    f"{CONTAINER}.command.[]": str,
    f"{CONTAINER}.env.[].name": str,
    f"{CONTAINER}.env.[].value": str,
    f"{CONTAINER}.resources.limits.*": (int, str),
    f"{CONTAINER}.volumeMounts.[].name": str,
    f"{CONTAINER}.volumeMounts.[].mountPath": str,
    f"{VOLUME}.name": str,
    f"{VOLUME}.persistentVolumeClaim.claimName": str,
    f"{VOLUME}.emptyDir": dict,
}
OPEN = ("spec.mpiReplicaSpecs", f"{CONTAINER}.resources.limits")  # whose keys are names


def leaves(value, path=""):
    """Each value at the end of a path, with it."""
    if not isinstance(value, (dict, list)) or not value:
        yield path, value
        return
    for key, each in value.items() if isinstance(value, dict) else [("[]", item) for item in value]:
        yield from leaves(each, f"{path}.{'*' if path in OPEN else key}".lstrip("."))


def with_names(shop, text, names):
    """The file with a user's own names in place of its own."""
    for placeholder, own in names.items():
        expect(placeholder in text, f"the file does not say {placeholder}")
        text = text.replace(placeholder, str(own))
    return text


def slurm(shop, plan, examples, stub):
    """As sbatch would run it, on two nodes."""
    text = (examples / "job.slurm").read_text()
    asked = dict(re.findall(r"^#SBATCH --([a-z-]+)=(.*)$", text, re.MULTILINE))
    expect(asked.keys() <= SBATCH and len(asked) == text.count("#SBATCH "), f"#SBATCH says {asked}")
    script = shop.folder / "job.slurm"
    script.write_text(with_names(shop, text, {"/shared/gpt2.plan": plan, "/shared/corpus": shop.data,
                                              "/shared/out": shop.folder / "slurm", "/tmp": shop.folder}))
    stubs = shop.folder / "slurm-tools"
    stubs.mkdir()
    for name in ("srun", "scontrol"):
        shutil.copy(stub, stubs / name)
        (stubs / name).chmod(0o755)
    tasks = int(asked["nodes"]) * int(asked["ntasks-per-node"])
    code, output = shop.run(["bash", script], {
        "PATH": f"{stubs}:{shop.tools}:{os.environ['PATH']}", "SLURM_JOB_ID": str(os.getpid()), "SLURM_PROCID": "0",
        "SLURM_JOB_NODELIST": "node[1-2]", "SLURM_JOB_NUM_NODES": asked["nodes"], "SLURM_NTASKS": str(tasks),
        "SLURM_CPUS_PER_TASK": asked["cpus-per-task"]})
    expect(code == 0 and f"{tasks} processes on 1 host, bytes over TCP" in output, f"job.slurm: exit code {code}\n{output}")
    same(shop, "alone", "slurm", STEPS)
    print("job.slurm, under a stub of srun: one process's bytes")


def kubernetes(shop, plan, examples):
    """Every field is one that the operator knows, of its type; and the launcher's command, run here."""
    try:
        import yaml
    except ModuleNotFoundError:
        print("SKIP: no PyYAML (python3-yaml), so the Kubernetes file is not read")
        return
    job = yaml.safe_load((examples / "mpijob.yaml").read_text())
    for path, value in leaves(job):
        expect(path in FIELDS, f"mpijob.yaml: {path} is no field of an MPIJob that is known here")
        known = FIELDS[path]
        fits = value in known if isinstance(known, set) else isinstance(value, known)
        expect(fits, f"mpijob.yaml: {path} is {value!r}, but must be {known}")
    replicas = job["spec"]["mpiReplicaSpecs"]
    command = replicas["Launcher"]["template"]["spec"]["containers"][0]["command"]
    expect(command[:3] == ["mpirun", "-np", str(replicas["Worker"]["replicas"] * job["spec"]["slotsPerWorker"])],
           f"mpijob.yaml: not as many processes as slots: {command}")
    mounts = {mount["mountPath"] for mount in replicas["Worker"]["template"]["spec"]["containers"][0]["volumeMounts"]}
    folders = {"/" + part.split("/")[1] for part in command if part.startswith("/")}
    expect(folders == mounts, f"mpijob.yaml: the command names {folders}, but workers mount {mounts}")
    if not shop.mpirun:
        print("SKIP: no mpirun, so the launcher's command does not run here")
        return
    names = {"mpirun": shop.mpirun, "/shared/gpt2.plan": plan, "/shared/corpus": shop.data,
             "/shared/out": shop.folder / "kubernetes", "/scratch": shop.folder}
    code, output = shop.run([names.get(part, part) for part in command],
                            {"PATH": f"{shop.tools}:{os.environ['PATH']}", "OMPI_MCA_rmaps_base_oversubscribe": "1"})
    expect(code == 0, f"mpijob.yaml's command: exit code {code}\n{output}")
    same(shop, "alone", "kubernetes", STEPS)
    print("mpijob.yaml: fields as the operator's schema has them; the launcher's command: one process's bytes")


def main():
    tools, folder, examples, mpirun = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), (sys.argv + [None])[4]
    shop = Workshop(tools, folder, mpirun)
    plan = shop.compile("job", {"steps": STEPS})
    shop.train(plan, "alone")
    slurm(shop, plan, examples, pathlib.Path(__file__).parent / "slurm_stub.py")
    kubernetes(shop, plan, examples)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
