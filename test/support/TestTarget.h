// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TestTarget.h - the instruction set of plans in tests ==================//
//
// Duty: names one instruction set for the plans of tests, so that the bytes, homes and seconds that tests
// expect do not depend on the processor. On AVX2, the library of matmuls asks for no scratch of its own
// (ScratchTest). The environment may name another instruction set, or "native" for that of this machine
// (tools/test.sh --target-cpu). Tests of single kernels cover every instruction set of this machine. Threads:
// a pure function of the environment.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdlib>
#include <string>

namespace windlass::test {

/// A value for CompileRequest::targetCpu; empty: the instruction set of this machine.
inline std::string testTarget() {
  const char *named = std::getenv("WINDLASS_TEST_TARGET_CPU");
  const std::string target = named ? named : "x86-64-v3";
  return target == "native" ? "" : target;
}

} // namespace windlass::test
