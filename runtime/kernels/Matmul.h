//===- Matmul.h - library matmuls in plain layouts ========================//
//
// Duty: one oneDNN primitive per distinct MatmulSpec, made at load for a fixed
// number of threads, with scratch that the caller provides.
// Ownership: a MatmulCall keeps its primitive. Threads: a Matmul may be shared;
// a MatmulCall belongs to one thread.
// Errors: CannotFit where the library or the CPU cannot do what the spec asks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/kernels/WidenedMatmul.h"
#include "runtime/plan/Plan.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace windlass {

/// "f32 128x256 = 128x512 * 512x256 batch 4, a transposed, accumulated": names a spec in messages.
std::string describe(const plan::MatmulSpec &spec);

/// Whether the library multiplies bf16 here, at speed.
bool hasNativeBf16();

class Matmul {
public:
  static Result<std::shared_ptr<const Matmul>> create(const plan::MatmulSpec &spec, int64_t threads,
                                                      bool nativeBf16 = hasNativeBf16());
  ~Matmul();

  int64_t scratchBytes() const;

private:
  friend class MatmulCall;
  Matmul();
  struct Library;
  std::unique_ptr<Library> library;
  std::optional<WidenedMatmul> widened; ///< bf16 operands without native bf16
  int64_t threads = 1;
};

class MatmulCall {
public:
  static Result<MatmulCall> create(std::shared_ptr<const Matmul> matmul);
  MatmulCall(MatmulCall &&) noexcept;
  MatmulCall &operator=(MatmulCall &&) noexcept;
  ~MatmulCall();

  /// args: A, B, C, scratch (read only if scratchBytes() > 0).
  Status run(void *const *args);

private:
  MatmulCall();
  Status runLibrary(void *const *args);
  struct Bound;
  std::shared_ptr<const Matmul> matmul;
  std::unique_ptr<Bound> bound;
};

/// Bytes of scratch a launch of this spec needs on this CPU (after capLibraryKernels), or why it cannot run.
Result<int64_t> matmulScratchBytes(const plan::MatmulSpec &spec, int64_t threads);

} // namespace windlass
