// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/cuda/LtProducts.h"
#include "runtime/base/Hash.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/check/CheckStructure.h"
#include <algorithm>
#include <string_view>
#include <unistd.h>

namespace windlass {

namespace {

/// The most that the library makes use of.
constexpr int64_t kMostAlignment = 256;
constexpr size_t kWorkspaceOperand = 3;

/// What all launches of a kernel grant.
LtTerms termsOf(const plan::Plan &plan, size_t kernel) {
  LtTerms terms{INT64_MAX, kMostAlignment};
  for (const plan::Program &program : plan.programs)
    terms.alignment = std::min(terms.alignment, plan::alignmentOf(program, plan::Tier::Device));
  plan::forEachInstruction(plan, [&](const plan::Instruction &launch) {
    if (launch.op != plan::Opcode::Launch || launch.kernel != static_cast<int32_t>(kernel))
      return;
    const bool grants = launch.operands.size() > kWorkspaceOperand;
    terms.workspaceBytes =
        std::min(terms.workspaceBytes, grants ? launch.operands[kWorkspaceOperand].bytes : 0);
  });
  return terms;
}

/// Variables by which the environment tells the library how to multiply: "CUBLAS_..." and what switches TF32.
std::string environment() {
  std::vector<std::string_view> found;
  for (char **each = environ; each && *each; ++each)
    if (const std::string_view variable = *each;
        variable.starts_with("CUBLAS") || variable.starts_with("NVIDIA_TF32_OVERRIDE="))
      found.push_back(variable);
  std::ranges::sort(found);
  std::string text;
  for (std::string_view each : found)
    text += (text.empty() ? "" : " ") + std::string(each);
  return text;
}

} // namespace

bool isLibraryProduct(const plan::Kernel &kernel) {
  return kernel.kind == plan::KernelKind::Matmul && kernel.phases.empty();
}

Result<std::shared_ptr<const LtProducts>> LtProducts::create(std::shared_ptr<cuda::Context> context,
                                                             const FindBlasLt &find, const plan::Plan &plan) {
  auto made = std::make_shared<LtProducts>();
  made->products.resize(plan.kernels.size());
  const std::vector<bool> launched = plan::launchedOn(plan, {plan::Lane::Compute});
  for (size_t i = 0; i < launched.size(); ++i) {
    if (!launched[i] || !isLibraryProduct(plan.kernels[i]))
      continue;
    if (!made->library) {
      const Result<cuda::BlasLt> functions = find();
      WINDLASS_TRY(functions.status());
      Result<std::shared_ptr<const LtLibrary>> opened = LtLibrary::open(context, *functions);
      WINDLASS_TRY(opened.status());
      made->library = opened.take();
    }
    Result<std::unique_ptr<const LtMatmul>> product =
        LtMatmul::create(made->library, plan.kernels[i].matmul, termsOf(plan, i));
    WINDLASS_TRY(product.status());
    made->products[i] = product.take();
  }
  return std::shared_ptr<const LtProducts>(std::move(made));
}

std::map<std::string, std::string> LtProducts::numerics() const {
  if (!library)
    return {};
  HashStream choices;
  for (const std::unique_ptr<const LtMatmul> &product : products)
    if (product) {
      const std::vector<uint64_t> words = product->words();
      choices.add(std::as_bytes(std::span(words)));
    }
  std::map<std::string, std::string> entries = {
      {"library", library->version()},
      {"library_algorithms", choices.hash()},
      {"device_multiprocessors", std::to_string(library->context->facts().multiprocessors)}};
  if (std::string variables = environment(); !variables.empty())
    entries["library_environment"] = std::move(variables);
  return entries;
}

} // namespace windlass
