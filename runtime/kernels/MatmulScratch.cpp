// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/MatmulScratch.h"
#include "runtime/kernels/OperandPanels.h"
#include "runtime/kernels/Scratch.h"
#include "runtime/kernels/WidenedMatmul.h"
#include "runtime/plan/Enums.h"
#include <algorithm>
#include <bit>

namespace windlass {

namespace {

constexpr int64_t kLine = 64;       // bytes of a cache line
constexpr int64_t kBlockRows = 256; // of a block of the result, at most
constexpr int64_t kBlockColumns = 64;
constexpr int64_t kColumnBlocks = 16; // at once, where a copied block of A serves them all
constexpr int64_t kDepth = 512;       // of a block, where A stands transposed, or all of k is not much more
constexpr int64_t kFullDepth = 1024;
constexpr int64_t kAccumulatorBytes = 4;
/// A list of operands' addresses, and what aligning each part costs.
constexpr int64_t kFixed = 1024;

int64_t roundedUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }
bool isPowerOf2(int64_t value) { return std::has_single_bit(static_cast<uint64_t>(value)); }

/// oneDNN 2.6 under AVX-512, one thread: blocks of the result, before which it copies blocks of operands that
/// stand transposed or whose rows lie badly in a cache. How high a block is follows from how the rows divide;
/// here it is the highest. The sizes of caches have no part in it.
struct Blocks {
  explicit Blocks(const MatmulPart &part) : spec(part.spec), bytes(plan::bytesOf(spec.a)) {
    // A matrix of one row or column stands both ways; the library may see either.
    const bool isLine = spec.m == 1 || spec.k == 1;
    copiesA = spec.transposeA || isLine;
    depth = std::min(spec.k, spec.k > kFullDepth && (!spec.transposeA || isLine) ? kFullDepth : kDepth);
    rows = std::min(spec.m, kBlockRows);
  }

  int64_t ofA() const {
    const bool rowsCollide = isBf16() && isPowerOf2(spec.k) && spec.k >= 4096 && spec.m >= 1024;
    if (!copiesA && !rowsCollide)
      return 0;
    return bytes * rows * (roundedUp(depth, kLine / bytes) + kLine / bytes);
  }
  int64_t ofB() const {
    const bool rowsCollide = spec.n > 256 && isPowerOf2(spec.n);
    return isBf16() || spec.transposeB || rowsCollide
               ? bytes * kBlockColumns * roundedUp(depth, kLine / bytes)
               : 0;
  }
  /// Sums that a later part of k goes on with, where they cannot stand in the result.
  int64_t ofC() const {
    if ((!spec.accumulate && spec.c == plan::ElementType::F32) || depth == spec.k)
      return 0;
    const int64_t columnBlocks =
        ofA() > 0 ? std::min(kColumnBlocks, (spec.n + kBlockColumns - 1) / kBlockColumns) : 1;
    return kAccumulatorBytes * rows * std::min(spec.n, kBlockColumns) * columnBlocks;
  }
  int64_t total() const { return kFixed + ofA() + ofB() + ofC(); }

private:
  bool isBf16() const { return spec.a == plan::ElementType::BF16; }

  const plan::MatmulSpec &spec;
  int64_t bytes;
  bool copiesA;
  int64_t depth, rows;
};

/// Rows of a matrix that lie apart, as those of a cut one that is stored transposed, are multiplied without
/// blocks.
bool isCutAcross(const MatmulPart &part) {
  return part.leadingA != (part.spec.transposeA ? part.spec.m : part.spec.k);
}

/// A result of 16 bits is summed in f32 first.
int64_t withoutBlocks(const plan::MatmulSpec &spec) {
  return spec.c == plan::ElementType::F32 ? 0 : kFixed + kAccumulatorBytes * spec.m * spec.n;
}

} // namespace

int64_t libraryScratchBytes(const MatmulPart &part, plan::ScratchRule rule) {
  switch (rule) {
  case plan::ScratchRule::None:
  case plan::ScratchRule::Workspace: // of another processor
    return 0;
  case plan::ScratchRule::Blocks:
    if (part.spec.k == 1) // rows of one element lie as the library likes
      return std::max(withoutBlocks(part.spec), Blocks(part).total());
    return isCutAcross(part) ? withoutBlocks(part.spec) : Blocks(part).total();
  }
  return 0;
}

int64_t matmulScratchBytes(const plan::MatmulSpec &spec, int64_t threads, const plan::TargetRow &target) {
  const bool widens = WidenedMatmul::isNeeded(spec, target.library == plan::LibraryIsa::Avx512Bf16);
  const bool readsInPlace = target.library == plan::LibraryIsa::Avx2;
  int64_t bytes = 0;
  for (const MatmulPart &part : cutMatmul(widens ? WidenedMatmul::widened(spec) : spec, threads)) {
    bytes += alignedScratch(libraryScratchBytes(part, target.scratch));
    if (const auto panels = readsInPlace ? OperandPanels::of(part) : std::nullopt)
      bytes += panels->scratchBytes();
  }
  return widens ? WidenedMatmul(spec, bytes).scratchBytes() : bytes;
}

} // namespace windlass
