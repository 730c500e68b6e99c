# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the tools on text: every .mlir and .test under dialects, passes and tools."""

import os

import lit.formats

config.name = "windlass"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.windlass_binary_dir, "test", "lit")
config.excludes = ["runtime", "compiler", "model", "planning", "fixtures", "bench", "support", "tidy"]

# -enable-var-scope: a variable without a $ ends with its CHECK-LABEL.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
tools = [os.path.join(config.windlass_binary_dir, "bin"), config.llvm_tools_dir]
config.environment["PATH"] = os.pathsep.join(tools + [config.environment["PATH"]])
if "WINDLASS_KERNEL_CACHE" in os.environ:
    config.environment["WINDLASS_KERNEL_CACHE"] = os.environ["WINDLASS_KERNEL_CACHE"]
config.substitutions.append(("%source_dir", config.windlass_source_dir))
