// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LtMatmul.h - matmuls by NVIDIA's library ==============================//
//
// Duty: a row-major product of a plan as cuBLASLt multiplies it: in column-major order, where it is that of
// the operands' transposes. Sums are of f32 and not split, so that one algorithm has one order of them, but
// for few terms of very many (cutProduct). The first algorithm that the library proposes is taken, never one
// that was timed: equal releases, devices, specs and workspaces give equal choices. Ownership: an LtLibrary
// outlives its products, the context both. Threads: made by one; `run` by any. Units: bytes. Errors:
// CannotFit where the library does not multiply what is asked, RunFailed for a launch, in the library's
// words.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/cuda/BlasLt.h"
#include "runtime/cuda/Context.h"
#include "runtime/plan/Plan.h"
#include <memory>
#include <string>
#include <vector>

namespace windlass {

/// The library on one device.
class LtLibrary {
public:
  static Result<std::shared_ptr<const LtLibrary>> open(std::shared_ptr<cuda::Context> context,
                                                       const cuda::BlasLt &functions);
  LtLibrary(std::shared_ptr<cuda::Context> context, const cuda::BlasLt &functions)
      : context(std::move(context)), functions(functions) {}
  ~LtLibrary();
  LtLibrary(const LtLibrary &) = delete;

  /// "cuBLASLt 13.0.2": in the effective numerics record.
  std::string version() const;

  /// Of a call that returned `result`.
  Status status(cuda::LtStatus result, const char *symbol) const;

  const std::shared_ptr<cuda::Context> context;
  const cuda::BlasLt functions;
  cuda::LtHandle handle = nullptr;

private:
  std::string whyNot(const Status &refused) const;
};

/// What a product may count on.
struct LtTerms {
  int64_t workspaceBytes = 0;
  int64_t alignment = 0; ///< of every operand's address, a power of two
};

/// A part of a product: its extents, and where its operands begin, in elements.
struct LtPart {
  plan::MatmulSpec spec;
  int64_t atA = 0, atB = 0, atC = 0;
};

/// What a product is multiplied in, one after the other. Rows may begin on multiples of 16 bytes and have
/// another length, for which the library has its slowest code: then the last columns, fewer than 16 bytes,
/// are a part of their own; or, where these are terms of its sums, their sums, rounded to the type of C, to
/// which the other part adds. The error of that is within what any order of so many terms may have
/// (ProductBound.h): there must be 2^14 of them, and the type not f16, whose range a part could leave.
std::vector<LtPart> cutProduct(const plan::MatmulSpec &spec);

class LtMatmul {
public:
  static Result<std::unique_ptr<const LtMatmul>> create(std::shared_ptr<const LtLibrary> library,
                                                        const plan::MatmulSpec &spec, const LtTerms &terms);
  explicit LtMatmul(std::shared_ptr<const LtLibrary> library) : library(std::move(library)) {}
  ~LtMatmul();
  LtMatmul(const LtMatmul &) = delete;

  /// Enqueues it. args: A, B, C, workspace, on the device. Allocates nothing.
  Status run(void *const *args, cuda::CuStream stream) const;

  /// The words of its parts' algorithms, for a record of what was chosen.
  std::vector<uint64_t> words() const;

private:
  /// One call of the library.
  struct Call {
    LtPart part;
    cuda::LtLayout a = nullptr, b = nullptr, c = nullptr; ///< of the plan's operands, seen column-major
    cuda::LtChoice choice{};
  };
  Status describe(const plan::MatmulSpec &spec);
  Status add(const LtPart &part, const LtTerms &terms);
  Status choose(Call &call, const LtTerms &terms);
  Status addLayout(cuda::LtLayout &layout, plan::ElementType type, const plan::StoredMatrix &matrix);

  std::shared_ptr<const LtLibrary> library;
  cuda::LtProduct product = nullptr;
  std::vector<Call> calls;
};

} // namespace windlass
