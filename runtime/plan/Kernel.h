// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Kernel.h - what a launch of a plan runs ===============================//
//
// Duty: the kernels of a plan as plain structs, and the files that hold the code
// of generated ones, one per target.
// Units: bytes and elements, int64.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Cases.h"
#include <cstdint>
#include <string>
#include <vector>

namespace windlass::plan {

/// A row-major operand of a product as it lies: the matrices of a batch one behind the other, and in each so
/// many elements from one row to the next.
struct StoredMatrix {
  int64_t batch = 1, rows = 0, columns = 0, pitch = 0;

  int64_t elements() const { return batch * rows * pitch; }
};

/// C[b] (+)= op(A[b]) * op(B[b]). op transposes when the flag is set. Accumulation in f32.
struct MatmulSpec {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool transposeA = false, transposeB = false;
  ElementType a = ElementType::F32, b = ElementType::F32, c = ElementType::F32;
  bool accumulate = false; ///< C += instead of C =
  /// Elements from a stored row to the next; 0: as many as a row has. Those behind a row mean nothing.
  int64_t pitchA = 0, pitchB = 0, pitchC = 0;

  StoredMatrix storedA() const { return transposeA ? stored(k, m, pitchA) : stored(m, k, pitchA); }
  StoredMatrix storedB() const { return transposeB ? stored(n, k, pitchB) : stored(k, n, pitchB); }
  StoredMatrix storedC() const { return stored(m, n, pitchC); }

private:
  StoredMatrix stored(int64_t rows, int64_t columns, int64_t pitch) const {
    return {batch, rows, columns, pitch > 0 ? pitch : columns};
  }
};

/// How a device that launches blocks of threads runs [begin, end) of a phase of a generated kernel. The code
/// of the first phase has the kernel's symbol, that of phase 1 the symbol with ".1" behind it, and so on;
/// each phase starts when the one before is complete, and they hand values on in operands alone.
struct LaunchGrid {
  int64_t perBlock = 0;    ///< of the range, what one row of blocks covers
  int64_t across = 1;      ///< blocks of such a row
  int64_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< memory that a block shares, beside what the code declares

  bool operator==(const LaunchGrid &) const = default;
};

struct Kernel {
  std::string symbol; ///< generated: exported name in every kernel file; matmul: the distinct key
  KernelKind kind = KernelKind::Generated;
  MatmulSpec matmul;             ///< kind == Matmul; args are A, B, C, scratch
  std::vector<Access> args;      ///< one per operand of a launch
  std::vector<int64_t> argBytes; ///< bytes each operand must have at least; 0: any (chunked kernels)
  int64_t extent = 1;            ///< of the outermost parallel dimension
  /// Elementwise over 1-D operands: extent is any multiple of 64 elements, the
  /// operands of a launch are cut to [begin, end) by the plan itself.
  double flops = 0, bytes = 0;         ///< per launch over the whole extent
  std::string description;             ///< "layer_norm 128x256 f32"
  std::vector<LaunchGrid> phases = {}; ///< for code of a device; processors cut the range themselves
};

/// The generated kernels, compiled for one target. Launches on the host take the code for the target's `cpu`.
struct KernelFile {
  std::string target; ///< instruction set: "x86-64-v3", "sm_90"
  std::string name;   ///< in the plan's folder: "kernels.so", "kernels.ptx"
  std::string hash;   ///< XXH3-128 in hex
};

} // namespace windlass::plan
