// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Matmul.h - library matmuls in plain layouts ===========================//
//
// Duty: oneDNN primitives for one MatmulSpec, made at load, one for each part that
// a thread multiplies, with scratch that the caller provides. What the library does
// slowly on this CPU is put in another form first: WidenedMatmul.h, OperandPanels.h. The library runs on
// the thread that calls it: matmuls and generated kernels share one KernelTeam, so
// that no second pool of threads spins beside it.
// Ownership: a MatmulCall keeps its primitives. Threads: a Matmul may be shared;
// a MatmulCall belongs to one lane.
// Errors: CannotFit where the library or the CPU cannot do what the spec asks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/kernels/KernelTeam.h"
#include "runtime/kernels/WidenedMatmul.h"
#include "runtime/plan/Plan.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace windlass {

/// "f32 128x256 = 128x512 * 512x256 batch 4, a transposed, accumulated": names a spec in messages.
std::string describe(const plan::MatmulSpec &spec);

/// Whether the library multiplies bf16 here, at speed.
bool hasNativeBf16();
/// Whether it reads operands of small products where they lie.
bool readsOperandsInPlace();

/// What the library does at speed.
struct LibraryTraits {
  bool nativeBf16 = hasNativeBf16();
  bool readsInPlace = readsOperandsInPlace();
};

class Matmul {
public:
  static Result<std::shared_ptr<const Matmul>> create(const plan::MatmulSpec &spec, int64_t threads,
                                                      const LibraryTraits &library = {});
  ~Matmul();

  /// Bytes of scratch that a launch needs here; a plan grants what MatmulScratch.h says.
  int64_t scratchBytes() const;
  /// Whether operands of 16 bits are multiplied as f32, for want of fast instructions of their own.
  bool widens() const { return widened.has_value(); }

private:
  friend class MatmulCall;
  Matmul();
  struct Part;
  std::vector<std::unique_ptr<Part>> parts;
  std::optional<WidenedMatmul> widened; ///< f16 operands, or bf16 without native bf16
  int64_t partsScratch = 0;             ///< bytes
};

class MatmulCall {
public:
  static Result<MatmulCall> create(std::shared_ptr<const Matmul> matmul);
  MatmulCall(MatmulCall &&) noexcept;
  MatmulCall &operator=(MatmulCall &&) noexcept;
  ~MatmulCall();

  /// args: A, B, C, scratch (read only if scratchBytes() > 0). Without a team the parts run one after
  /// another, with the same bits.
  Status run(void *const *args, KernelTeam *team = nullptr);

private:
  MatmulCall();
  Status runParts(void *const *args, KernelTeam *team);
  struct Bound;
  std::shared_ptr<const Matmul> matmul;
  std::vector<std::unique_ptr<Bound>> bound; ///< per part
};

} // namespace windlass
