// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/cuda/LtMatmul.h"
#include "runtime/base/Units.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/plan/Enums.h"
#include <algorithm>
#include <utility>

namespace windlass {

using cuda::BlasLt;
using cuda::LtStatus;

namespace {

Result<cuda::LtType> libraryType(plan::ElementType type) {
  switch (type) {
  case plan::ElementType::F32:
    return cuda::kLtF32;
  case plan::ElementType::BF16:
    return cuda::kLtBf16;
  case plan::ElementType::F16:
    return cuda::kLtF16;
  case plan::ElementType::F64:
  case plan::ElementType::I32:
    break;
  }
  return Status::cannotFit("products of " + std::string(textOf(type)) + " are not the library's");
}

} // namespace

Result<std::shared_ptr<const LtLibrary>> LtLibrary::open(std::shared_ptr<cuda::Context> context,
                                                         const BlasLt &functions) {
  WINDLASS_TRY(context->enter());
  auto made = std::make_shared<LtLibrary>(std::move(context), functions);
  if (Status status = made->status(functions.create(&made->handle), "cublasLtCreate"); !status.isOk())
    return Status::cannotFit(made->whyNot(status));
  return std::shared_ptr<const LtLibrary>(std::move(made));
}

/// The library itself says no more than that it does not begin.
std::string LtLibrary::whyNot(const Status &refused) const {
  const Result<cuda::Context::Memory> memory = context->memory();
  return refused.message() + ", by " + version() + " under a driver for CUDA " +
         cuda::releaseText(context->facts().driverRelease) + ", where '" + context->facts().name + "' has " +
         (memory ? formatBytes(memory->freeBytes) : "an unknown part") +
         " of its memory free: it must be of a release that the driver takes, and needs memory of its own";
}

LtLibrary::~LtLibrary() {
  if (handle && !context->isGivenUp() && context->enter())
    functions.destroy(handle);
}

std::string LtLibrary::version() const {
  const size_t number = functions.version(); // 130002 is 13.0.2
  return "cuBLASLt " + std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

Status LtLibrary::status(LtStatus result, const char *symbol) const {
  return result == cuda::kLtSuccess
             ? Status::ok()
             : Status::runFailed(std::string(symbol) + ": " + functions.errorText(result));
}

std::vector<LtPart> cutProduct(const plan::MatmulSpec &spec) {
  constexpr int64_t kWantedBytes = 16, kManyTerms = 1 << 14;
  constexpr double kWorthIt = 1 << 30; // products, beside which a call more is little
  const auto isAligned = [](const plan::StoredMatrix &matrix, plan::ElementType type) {
    return matrix.pitch * plan::bytesOf(type) % kWantedBytes == 0;
  };
  const bool isLarge =
      static_cast<double>(spec.m) * static_cast<double>(spec.n) * static_cast<double>(spec.k) > kWorthIt;
  const plan::StoredMatrix a = spec.storedA(), b = spec.storedB(), c = spec.storedC();
  LtPart first{spec}, second{spec};
  first.spec.pitchA = second.spec.pitchA = a.pitch;
  first.spec.pitchB = second.spec.pitchB = b.pitch;
  first.spec.pitchC = second.spec.pitchC = c.pitch;
  if (const int64_t rest = spec.n % (kWantedBytes / plan::bytesOf(spec.c));
      isLarge && spec.batch == 1 && rest > 0 && isAligned(c, spec.c)) {
    first.spec.n -= rest;
    second.spec.n = rest;
    second.atC = first.spec.n;
    second.atB = spec.transposeB ? first.spec.n * b.pitch : first.spec.n;
    return {first, second};
  }
  // Terms lie along the rows of one operand or of both, which then begin on multiples. Sums of some terms may
  // be too large for f16 where those of all are not.
  const bool isAlongTerms = (!spec.transposeA || spec.transposeB) &&
                            (spec.transposeA || isAligned(a, spec.a)) &&
                            (!spec.transposeB || isAligned(b, spec.b)) && spec.c != plan::ElementType::F16;
  if (const int64_t rest = spec.k % (kWantedBytes / plan::bytesOf(spec.a));
      isLarge && spec.batch == 1 && rest > 0 && isAlongTerms && spec.k >= kManyTerms && !spec.accumulate) {
    const int64_t most = spec.k - rest;
    first.spec.k = rest;
    first.atA = spec.transposeA ? most * a.pitch : most;
    first.atB = spec.transposeB ? most : most * b.pitch;
    second.spec.k = most;
    second.spec.accumulate = true;
    return {first, second};
  }
  return {LtPart{spec}};
}

Result<std::unique_ptr<const LtMatmul>> LtMatmul::create(std::shared_ptr<const LtLibrary> library,
                                                         const plan::MatmulSpec &spec, const LtTerms &terms) {
  WINDLASS_TRY(library->context->enter());
  auto made = std::make_unique<LtMatmul>(std::move(library));
  WINDLASS_TRY(made->describe(spec).in("matmul '" + windlass::describe(spec) + "'"));
  for (const LtPart &part : cutProduct(spec))
    WINDLASS_TRY(made->add(part, terms).in("matmul '" + windlass::describe(part.spec) + "'"));
  return std::unique_ptr<const LtMatmul>(std::move(made));
}

LtMatmul::~LtMatmul() {
  const BlasLt &lt = library->functions;
  for (const Call &call : calls)
    for (cuda::LtLayout layout : {call.a, call.b, call.c})
      if (layout)
        lt.destroyLayout(layout);
  if (product)
    lt.destroyProduct(product);
}

/// Row-major C = op(A) op(B) is column-major C' = op(B') op(A'), for what is row-major R x S is column-major
/// S x R. So the plan's B is the library's first operand.
Status LtMatmul::describe(const plan::MatmulSpec &spec) {
  const BlasLt &lt = library->functions;
  WINDLASS_TRY(library->status(lt.createProduct(&product, cuda::kLtComputeF32, cuda::kLtF32),
                               "cublasLtMatmulDescCreate"));
  for (const auto &[attribute, transposes] :
       {std::pair(cuda::kLtTransposeA, spec.transposeB), {cuda::kLtTransposeB, spec.transposeA}}) {
    const int32_t operation = transposes ? cuda::kLtTransposed : cuda::kLtPlain;
    WINDLASS_TRY(library->status(lt.setProduct(product, attribute, &operation, sizeof operation),
                                 "cublasLtMatmulDescSetAttribute"));
  }
  return Status::ok();
}

Status LtMatmul::add(const LtPart &part, const LtTerms &terms) {
  const plan::MatmulSpec &spec = part.spec;
  Call &call = calls.emplace_back();
  call.part = part;
  WINDLASS_TRY(addLayout(call.a, spec.a, spec.storedA()));
  WINDLASS_TRY(addLayout(call.b, spec.b, spec.storedB()));
  WINDLASS_TRY(addLayout(call.c, spec.c, spec.storedC()));
  LtTerms own = terms;
  for (const int64_t bytes :
       {part.atA * plan::bytesOf(spec.a), part.atB * plan::bytesOf(spec.b), part.atC * plan::bytesOf(spec.c)})
    if (bytes > 0)
      own.alignment = std::min(own.alignment, bytes & -bytes);
  return choose(call, own);
}

Status LtMatmul::addLayout(cuda::LtLayout &layout, plan::ElementType type, const plan::StoredMatrix &matrix) {
  const BlasLt &lt = library->functions;
  const Result<cuda::LtType> known = libraryType(type);
  WINDLASS_TRY(known.status());
  WINDLASS_TRY(library->status(lt.createLayout(&layout, *known, static_cast<uint64_t>(matrix.columns),
                                               static_cast<uint64_t>(matrix.rows), matrix.pitch),
                               "cublasLtMatrixLayoutCreate"));
  const auto count = static_cast<int32_t>(matrix.batch);
  const int64_t stride = matrix.rows * matrix.pitch;
  WINDLASS_TRY(library->status(lt.setLayout(layout, cuda::kLtBatch, &count, sizeof count),
                               "cublasLtMatrixLayoutSetAttribute"));
  return library->status(lt.setLayout(layout, cuda::kLtBatchStride, &stride, sizeof stride),
                         "cublasLtMatrixLayoutSetAttribute");
}

Status LtMatmul::choose(Call &call, const LtTerms &terms) {
  const BlasLt &lt = library->functions;
  auto &[part, a, b, c, choice] = call;
  cuda::LtPreference preference = nullptr;
  WINDLASS_TRY(library->status(lt.createPreference(&preference), "cublasLtMatmulPreferenceCreate"));
  const auto workspace = static_cast<uint64_t>(terms.workspaceBytes);
  const auto alignment = static_cast<uint32_t>(terms.alignment);
  const uint32_t reductions = cuda::kLtNoReduction;
  LtStatus result = lt.setPreference(preference, cuda::kLtMaxWorkspace, &workspace, sizeof workspace);
  if (result == cuda::kLtSuccess)
    result = lt.setPreference(preference, cuda::kLtReductions, &reductions, sizeof reductions);
  for (cuda::LtPreferenceAttribute of :
       {cuda::kLtAlignmentA, cuda::kLtAlignmentB, cuda::kLtAlignmentC, cuda::kLtAlignmentD})
    if (result == cuda::kLtSuccess)
      result = lt.setPreference(preference, of, &alignment, sizeof alignment);
  int found = 0;
  if (result == cuda::kLtSuccess)
    result = lt.choose(library->handle, product, b, a, c, c, preference, 1, &choice, &found);
  lt.destroyPreference(preference);
  if (result == cuda::kLtSuccess && found > 0)
    result = choice.status;
  if (result != cuda::kLtSuccess || found == 0)
    return Status::cannotFit(library->version() + " has no algorithm for it within " +
                             formatBytes(terms.workspaceBytes) + " of workspace" +
                             (result == cuda::kLtSuccess ? "" : std::string(": ") + lt.errorText(result)));
  if (std::cmp_greater(choice.workspaceBytes, terms.workspaceBytes))
    return Status::cannotFit(library->version() + " asks for " + std::to_string(choice.workspaceBytes) +
                             " bytes of workspace, the plan grants " + std::to_string(terms.workspaceBytes));
  return Status::ok();
}

Status LtMatmul::run(void *const *args, cuda::CuStream stream) const {
  WINDLASS_TRY(library->context->enter());
  const auto at = [](void *operand, int64_t elements, plan::ElementType type) {
    return static_cast<void *>(static_cast<std::byte *>(operand) + elements * plan::bytesOf(type));
  };
  const float one = 1;
  for (const Call &call : calls) {
    const plan::MatmulSpec &spec = call.part.spec;
    const float addedToC = spec.accumulate ? 1.0f : 0.0f; // what C counts for in the result
    void *const result = at(args[2], call.part.atC, spec.c);
    WINDLASS_TRY(library->status(
        library->functions.multiply(library->handle, product, &one, at(args[1], call.part.atB, spec.b),
                                    call.b, at(args[0], call.part.atA, spec.a), call.a, &addedToC, result,
                                    call.c, result, call.c, &call.choice.algorithm, args[3],
                                    call.choice.workspaceBytes, stream),
        "cublasLtMatmul"));
  }
  return Status::ok();
}

std::vector<uint64_t> LtMatmul::words() const {
  std::vector<uint64_t> words;
  for (const Call &call : calls)
    words.insert(words.end(), std::begin(call.choice.algorithm.words), std::end(call.choice.algorithm.words));
  return words;
}

} // namespace windlass
