#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs what has been built into an empty folder, and trains with what lies there.

    install_test.py --cmake CMAKE --source SOURCE --build BUILD --version VERSION

Nothing is built, and the installed tools see neither PATH nor the build folder. A second install, from a copy of the
install script in which no windlass-opt has been built, is the one that follows a quickstart.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

TOOLS = ("windlass-compile", "windlass-dump", "windlass-probe", "windlass-run", "windlass-sim")


def run(*command, **options):
    """What the command prints; when it fails, the test does."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    if done.returncode:
        sys.exit(f"error: {' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(truth, message):
    if not truth:
        sys.exit(f"error: {message}")


def check_versions(bin_folder, version):
    for tool in TOOLS:
        said = run(bin_folder / tool, "--version", env={}).strip()
        expect(said.startswith(f"{tool} {version}, plan format "), f"{tool} --version says '{said}'")


def check_paths(bin_folder, build):
    """No library is looked for where the build was."""
    for tool in TOOLS:
        lines = run("readelf", "-d", bin_folder / tool).splitlines()
        for line in lines:
            expect("PATH" not in line or str(build) not in line, f"{tool}: {line.strip()}")


def train(bin_folder, example, out):
    run(bin_folder / "windlass-compile", example / "model.json", "--training", example / "training.json", "--hardware",
        example / "machine.json", "-o", out / "the.plan", env={}, cwd=out)
    run(bin_folder / "windlass-dump", out / "the.plan", "--check", env={}, cwd=out)
    run(bin_folder / "windlass-run", out / "the.plan", "--data", "synthetic", "--steps", 2, "--out", out / "run", env={},
        cwd=out)
    expect((out / "run/checkpoints/step-00000002/model.safetensors").is_file(), "the installed tools leave no checkpoint")


def install_without_opt(options, out):
    script = options.build / "tools/windlass-opt/cmake_install.cmake"
    there = script.read_text()
    built = str(options.build / "bin/windlass-opt")
    expect(built in there, f"{script} does not install {built}")
    copy = out / "install-opt.cmake"
    copy.write_text(there.replace(built, str(out / "never-built")))
    run(options.cmake, f"-DCMAKE_INSTALL_PREFIX={out / 'without'}", "-P", copy)
    expect(not (out / "without/bin/windlass-opt").exists(), "windlass-opt was installed though it was not built")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--version", required=True)
    for folder in ("--source", "--build"):
        parser.add_argument(folder, type=pathlib.Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch)
        prefix = out / "prefix"
        run(options.cmake, "--install", options.build, "--prefix", prefix)
        expect(f"\n## {options.version}\n" in (options.source / "CHANGELOG.md").read_text(),
               f"CHANGELOG.md says nothing of version {options.version}")
        expect((prefix / "share/doc/windlass/LICENSE").is_file(), "the licence is not installed")
        check_versions(prefix / "bin", options.version)
        check_paths(prefix / "bin", options.build)
        train(prefix / "bin", options.source / "examples/mlp", out)
        install_without_opt(options, out)


if __name__ == "__main__":
    main()
