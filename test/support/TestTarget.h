// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TestTarget.h - the instruction set of plans in tests ================//
//
// Duty: one instruction set on every machine, so that what a test says of a plan (bytes, homes, seconds) does
// not depend on the processor that runs it: on AVX2 the library asks for no scratch of its own (ScratchTest).
// The environment may name another, "native" that of this machine: tools/test.sh --target-cpu. Kernels by
// themselves are tested for every set that this machine has. Threads: a pure function of the environment.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdlib>
#include <string>

namespace windlass::test {

/// As CompileRequest::targetCpu takes it; empty: this machine's.
inline std::string testTarget() {
  const char *named = std::getenv("WINDLASS_TEST_TARGET_CPU");
  const std::string target = named ? named : "x86-64-v3";
  return target == "native" ? "" : target;
}

} // namespace windlass::test
