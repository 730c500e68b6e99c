// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/codegen/DeviceRunner.h"

#include "compiler/codegen/DeviceCode.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "runtime/base/F16.h"
#include "test/support/ptx/PtxMachine.h"
#include "test/support/ptx/PtxReader.h"
#include "test/support/ptx/PtxText.h"

#include "mlir/Parser/Parser.h"

#include <cmath>

using namespace mlir;

namespace windlass::codegen::test {
namespace {

struct ParsedText {
  explicit ParsedText(const std::string &text) : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, graph::GraphDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &d) { said += d.str() + "\n"; });
    module = parseSourceString<ModuleOp>(text, &context);
  }
  SmallVector<func::FuncOp> kernels() { return llvm::to_vector(module->getOps<func::FuncOp>()); }

  MLIRContext context;
  std::string said;
  OwningOpRef<ModuleOp> module;
};

int64_t bytesOf(const OperandType &operand) {
  static const std::map<std::string, int64_t> bytes = {{"f64", 8}, {"i64", 8},  {"f32", 4},
                                                       {"i32", 4}, {"bf16", 2}, {"f16", 2},
                                                       {"i16", 2}, {"i8", 1},   {"i1", 1}};
  return bytes.at(operand.element);
}

OperandType operandOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string element;
  llvm::raw_string_ostream(element) << tensor.getElementType();
  return {element, tensor.getNumElements()};
}

/// Instructions of warps, far more than any kernel of a test has.
constexpr uint64_t kStepLimit = 1 << 22;

/// Ordinary numbers, and now and then one that is not.
std::vector<uint8_t> draw(const OperandType &operand, std::mt19937_64 &random) {
  const int64_t bytes = bytesOf(operand);
  std::vector<uint8_t> values(operand.elements * bytes);
  for (int64_t number = 0; number < operand.elements; ++number) {
    const double value = std::uniform_real_distribution<double>(-4, 4)(random);
    uint64_t bits = 0;
    if (operand.element == "f64")
      bits = std::bit_cast<uint64_t>(value);
    else if (operand.element == "f32")
      bits = std::bit_cast<uint32_t>(static_cast<float>(value));
    else if (operand.element == "bf16")
      bits = std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
    else if (operand.element == "f16")
      bits = roundToF16(static_cast<float>(value));
    else
      bits = operand.element == "i1" ? random() & 1 : random() % 8;
    if (operand.element[0] != 'i' && random() % 16 == 0)
      bits = random(); // any bits: subnormal, infinite, not a number
    std::memcpy(&values[number * bytes], &bits, bytes);
  }
  return values;
}

bool isNan(const OperandType &operand, uint64_t bits) {
  if (operand.element == "f64")
    return std::isnan(std::bit_cast<double>(bits));
  if (operand.element == "f32")
    return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (operand.element == "bf16")
    return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(bits << 16)));
  return operand.element == "f16" && std::isnan(widenF16(static_cast<uint16_t>(bits)));
}

/// The first element in which results differ; empty if none.
std::string difference(const OperandType &operand, const uint8_t *host, const std::vector<uint8_t> &device) {
  const int64_t bytes = bytesOf(operand);
  for (int64_t number = 0; number < operand.elements; ++number) {
    uint64_t expected = 0, found = 0;
    std::memcpy(&expected, &host[number * bytes], bytes);
    std::memcpy(&found, &device[number * bytes], bytes);
    if (expected != found && !(isNan(operand, expected) && isNan(operand, found))) {
      char said[96];
      std::snprintf(said, sizeof said, "element %ld is %lx, not %lx", number, found, expected);
      return said;
    }
  }
  return "";
}

} // namespace

std::unique_ptr<DeviceKernels> DeviceKernels::compile(const std::string &mlir) {
  auto kernels = std::make_unique<DeviceKernels>();
  kernels->host = codegen::test::compile(mlir);
  ParsedText parsed(mlir);
  if (!kernels->host || !parsed.module)
    return nullptr;
  FailureOr<DeviceCode> code = generateDeviceCode(parsed.kernels());
  if (failed(code)) {
    ADD_FAILURE() << parsed.said << mlir;
    return nullptr;
  }
  for (auto [kernel, grid] : llvm::zip_equal(parsed.kernels(), code->grids)) {
    Entry entry{{}, kernel.getNumArguments(), grid};
    for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(), kernel.getResultTypes()))
      entry.operands.push_back(operandOf(type));
    kernels->entries.emplace(kernel.getName().str(), std::move(entry));
  }
  if (std::string refused = kernels->replace(code->ptx); !refused.empty()) {
    ADD_FAILURE() << refused << code->ptx;
    return nullptr;
  }
  return kernels;
}

std::string DeviceKernels::replace(const std::string &ptx) {
  Result<ptx::Module> read = ptx::load(ptx);
  if (!read.isOk())
    return read.status().message();
  text = ptx;
  module = read.take();
  return "";
}

std::string DeviceKernels::differs(const std::string &name, const DeviceRun &run) const {
  const Entry &entry = entries.at(name);
  std::vector<OperandType> operands = entry.operands;
  std::mt19937_64 random(name.size() + static_cast<uint64_t>(run.end));
  std::vector<std::unique_ptr<Buffer<uint8_t>>> host;
  std::vector<void *> pointers;
  std::vector<uint64_t> parameters, variables;
  ptx::Allocations memory;
  for (const ptx::Variable &variable : module.variables)
    variables.push_back(memory.place(variable.name, variable.image.data(), variable.bytes));
  for (size_t number = 0; number < operands.size(); ++number) {
    OperandType &operand = operands[number];
    if (run.elements != 0 && operand.elements > 1)
      operand.elements = run.elements;
    const std::vector<uint8_t> drawn = draw(operand, random);
    host.push_back(std::make_unique<Buffer<uint8_t>>(drawn.size()));
    const std::string label = "operand " + std::to_string(number);
    auto shared = run.inPlace.find(static_cast<int>(number) - static_cast<int>(entry.arguments));
    if (number < entry.arguments) {
      std::copy(drawn.begin(), drawn.end(), &(*host.back())[0]);
      pointers.push_back(*host.back());
      parameters.push_back(memory.place(label, drawn.data(), drawn.size()));
    } else if (shared != run.inPlace.end()) {
      pointers.push_back(pointers[shared->second]);
      parameters.push_back(parameters[shared->second]);
    } else {
      host.back()->set(ptx::Allocations::kUnwritten);
      pointers.push_back(*host.back());
      parameters.push_back(memory.allocate(label, drawn.size()));
    }
  }
  this->host->run(name.c_str(), pointers, run.begin, run.end);
  parameters.push_back(run.begin), parameters.push_back(run.end);
  if (const int64_t blocks = entry.grid.blocks(run.end - run.begin); blocks > 0) {
    const auto bytes = ptx::parametersOf(parameters);
    const ptx::Launch request{.kernel = module.find(name),
                              .blocks = static_cast<uint32_t>(blocks),
                              .parameters = bytes,
                              .variables = variables,
                              .seed = run.seed,
                              .stepLimit = kStepLimit};
    if (auto done = ptx::launch(request, memory); !done.isOk())
      return done.status().message();
  }
  for (size_t number = 0; number < operands.size(); ++number) {
    const auto *expected = static_cast<const uint8_t *>(pointers[number]);
    std::vector<uint8_t> found(operands[number].elements * bytesOf(operands[number]));
    memory.read(parameters[number], found.data(), found.size());
    if (std::string what = difference(operands[number], expected, found); !what.empty())
      return "operand " + std::to_string(number) + ": " + what;
  }
  return "";
}

std::string refusedByDevice(const std::string &mlir) {
  ParsedText parsed(mlir);
  if (!parsed.module)
    return parsed.said;
  if (succeeded(generateDeviceCode(parsed.kernels())))
    return "";
  return parsed.said;
}

} // namespace windlass::codegen::test
