// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/cuda/LtMatmul.h"
#include "runtime/base/Units.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/plan/Enums.h"
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

Result<std::unique_ptr<const LtMatmul>> LtMatmul::create(std::shared_ptr<const LtLibrary> library,
                                                         const plan::MatmulSpec &spec, const LtTerms &terms) {
  WINDLASS_TRY(library->context->enter());
  auto made = std::make_unique<LtMatmul>(std::move(library));
  WINDLASS_TRY(made->describe(spec).in("matmul '" + windlass::describe(spec) + "'"));
  WINDLASS_TRY(made->choose(terms).in("matmul '" + windlass::describe(spec) + "'"));
  return std::unique_ptr<const LtMatmul>(std::move(made));
}

LtMatmul::~LtMatmul() {
  const BlasLt &lt = library->functions;
  for (cuda::LtLayout layout : {a, b, c})
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
  WINDLASS_TRY(addLayout(a, spec.a, spec.storedA()));
  WINDLASS_TRY(addLayout(b, spec.b, spec.storedB()));
  WINDLASS_TRY(addLayout(c, spec.c, spec.storedC()));
  addedToC = spec.accumulate ? 1.0f : 0.0f;
  return Status::ok();
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

Status LtMatmul::choose(const LtTerms &terms) {
  const BlasLt &lt = library->functions;
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
  const float one = 1;
  void *const result = args[2];
  return library->status(library->functions.multiply(library->handle, product, &one, args[1], b, args[0], a,
                                                     &addedToC, result, c, result, c, &choice.algorithm,
                                                     args[3], choice.workspaceBytes, stream),
                         "cublasLtMatmul");
}

} // namespace windlass
