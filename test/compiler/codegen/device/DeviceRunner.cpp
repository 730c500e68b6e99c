// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/codegen/device/DeviceRunner.h"

#include "compiler/codegen/DeviceCode.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/GraphPitch.h"
#include "dialects/Graph/IR/kernels/GraphPartialSums.h"
#include "runtime/base/F16.h"
#include "runtime/base/PtxSymbol.h"
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

OperandType operandOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string element;
  llvm::raw_string_ostream(element) << tensor.getElementType();
  return {element, graph::storedElements(tensor)};
}

/// A limit on the instructions of warps, far above those of any kernel of a test.
constexpr uint64_t kStepLimit = 1 << 22;

/// Draws ordinary numbers, and some arbitrary bits unless `isTame`.
std::vector<uint8_t> draw(const OperandType &operand, std::mt19937_64 &random, bool isTame) {
  const int64_t bytes = operand.bytes();
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
      bits = operand.element == "i1" ? random() & 1 : random() % (random() % 4 == 0 ? 1024 : 8);
    if (!isTame && operand.element[0] != 'i' && random() % 16 == 0)
      bits = random(); // may be subnormal, infinite or NaN
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

/// The first element at which host and device differ; empty if there is none.
std::string difference(const OperandType &operand, const uint8_t *before, const uint8_t *host,
                       const ptx::Region &device) {
  const int64_t bytes = operand.bytes();
  for (int64_t number = 0; number < operand.elements; ++number) {
    const int64_t at = number * bytes;
    uint64_t expected = 0, found = 0;
    std::memcpy(&expected, &host[at], bytes);
    std::memcpy(&found, device.written[at] ? &device.data[at] : &before[at], bytes);
    if (expected != found && !(isNan(operand, expected) && isNan(operand, found))) {
      char said[96];
      std::snprintf(said, sizeof said, "element %ld is %lx, not %lx", number, found, expected);
      return said;
    }
  }
  return "";
}

bool isFlat(func::FuncOp kernel) {
  auto extent = cast<RankedTensorType>(kernel.getResultTypes().front()).getShape();
  return extent.size() == 1 &&
         llvm::all_of(kernel.getArgumentTypes(),
                      [&](Type type) {
                        auto shape = cast<RankedTensorType>(type).getShape();
                        return shape.empty() || shape == extent;
                      }) &&
         llvm::all_of(kernel.getResultTypes(),
                      [&](Type type) { return cast<RankedTensorType>(type).getShape() == extent; });
}

} // namespace

int64_t OperandType::bytes() const {
  static const std::map<std::string, int64_t> bytes = {{"f64", 8}, {"i64", 8},  {"f32", 4},
                                                       {"i32", 4}, {"bf16", 2}, {"f16", 2},
                                                       {"i16", 2}, {"i8", 1},   {"i1", 1}};
  return bytes.at(element);
}

std::unique_ptr<DeviceProgram> DeviceProgram::compile(const std::string &mlir, std::string &refusal,
                                                      Launches launches) {
  ParsedText parsed(mlir);
  if (!parsed.module) {
    refusal = parsed.said;
    return nullptr;
  }
  if (launches == Launches::AsPlanned)
    for (func::FuncOp kernel : parsed.kernels())
      if (SmallVector<int64_t> bytes = graph::partialBytes(kernel); !bytes.empty())
        kernel->setAttr(graph::kPartials, DenseI64ArrayAttr::get(&parsed.context, bytes));
  FailureOr<DeviceCode> code = generateDeviceCode(parsed.kernels());
  if (failed(code)) {
    refusal = parsed.said;
    return nullptr;
  }
  const FailureOr<DevicePhases> withoutCode = devicePhases(parsed.kernels());
  if (failed(withoutCode) || *withoutCode != code->phases) {
    refusal = "the phases differ from those of the code";
    return nullptr;
  }
  auto program = std::make_unique<DeviceProgram>();
  for (auto [kernel, phases] : llvm::zip_equal(parsed.kernels(), code->phases)) {
    Entry entry{{}, kernel.getNumArguments(), isFlat(kernel), phases, {}};
    if (auto partials = kernel->getAttrOfType<DenseI64ArrayAttr>(graph::kPartials))
      entry.partialBytes = partials.asArrayRef().vec();
    for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(), kernel.getResultTypes()))
      entry.operands.push_back(operandOf(type));
    program->entries.emplace(kernel.getName().str(), std::move(entry));
  }
  refusal = program->replace(code->ptx);
  return refusal.empty() ? std::move(program) : nullptr;
}

std::string DeviceProgram::replace(const std::string &ptx) {
  Result<ptx::Module> read = ptx::load(ptx);
  if (!read.isOk())
    return read.status().message();
  text = ptx;
  module = read.take();
  return "";
}

std::vector<OperandType> DeviceProgram::operandsOf(const DeviceCall &call) const {
  std::vector<OperandType> operands = entry(call.kernel).operands;
  if (entry(call.kernel).isFlat)
    for (OperandType &operand : operands)
      operand.elements = operand.elements > 1 ? call.end : operand.elements;
  return operands;
}

OperandBytes DeviceProgram::bytesOf(const DeviceCall &call) const {
  OperandBytes bytes;
  for (auto [type, operand] : llvm::zip_equal(operandsOf(call), call.operands)) {
    const auto *first = static_cast<const uint8_t *>(operand);
    bytes.emplace_back(first, first + type.elements * type.bytes());
  }
  return bytes;
}

std::string DeviceProgram::differs(const DeviceCall &call, const OperandBytes &before, uint64_t seed) const {
  const Entry &kernel = entry(call.kernel);
  const std::vector<OperandType> types = operandsOf(call);
  std::vector<uint64_t> parameters, variables;
  ptx::Allocations memory;
  for (const ptx::Variable &variable : module.variables)
    variables.push_back(memory.place(variable.name, variable.image.data(), variable.bytes));
  for (size_t number = 0; number < types.size(); ++number) {
    const size_t first = llvm::find(call.operands, call.operands[number]) - call.operands.begin();
    const std::string label = "operand " + std::to_string(number);
    if (first < number)
      parameters.push_back(parameters[first]);
    else if (number < kernel.arguments)
      parameters.push_back(memory.place(label, before[number].data(), before[number].size()));
    else
      parameters.push_back(memory.allocate(label, before[number].size()));
  }
  std::vector<uint64_t> values = parameters;
  for (int64_t bytes : kernel.partialBytes)
    values.push_back(memory.allocate("partial sums", static_cast<uint64_t>(bytes)));
  values.push_back(call.begin), values.push_back(call.end);
  if (const Status done = run(call, values, memory, variables, seed); !done.isOk())
    return done.message();
  for (size_t number = 0; number < types.size(); ++number) {
    const auto *host = static_cast<const uint8_t *>(call.operands[number]);
    if (std::string what =
            difference(types[number], before[number].data(), host, *memory.find(parameters[number]));
        !what.empty())
      return "operand " + std::to_string(number) + ": " + what;
  }
  return "";
}

/// Launches each phase, as the runtime does.
Status DeviceProgram::run(const DeviceCall &call, std::vector<uint64_t> parameters,
                          const ptx::Allocations &memory, std::span<const uint64_t> variables,
                          uint64_t seed) const {
  const std::vector<DeviceGrid> &phases = entry(call.kernel).phases;
  const auto bytes = ptx::parametersOf(parameters);
  for (size_t phase = 0; phase < phases.size() && call.begin < call.end; ++phase) {
    const ptx::Launch request{.kernel = module.find(ptxSymbol(call.kernel, phase)),
                              .blocks = static_cast<uint32_t>(phases[phase].blocks(call.end - call.begin)),
                              .parameters = bytes,
                              .variables = variables,
                              .seed = seed,
                              .stepLimit = kStepLimit};
    const Result<std::vector<ptx::Touched>> done = ptx::launch(request, memory);
    WINDLASS_TRY(done.status());
  }
  return Status::ok();
}

std::unique_ptr<DeviceKernels> DeviceKernels::compile(const std::string &mlir, Launches launches) {
  auto kernels = std::make_unique<DeviceKernels>();
  kernels->host = codegen::test::compile(mlir);
  std::string refusal;
  kernels->program = DeviceProgram::compile(mlir, refusal, launches);
  EXPECT_NE(kernels->program, nullptr) << refusal << mlir;
  return kernels->host && kernels->program ? std::move(kernels) : nullptr;
}

std::string DeviceKernels::differs(const std::string &kernel, const DeviceRun &run) const {
  const DeviceProgram::Entry &entry = program->entry(kernel);
  std::mt19937_64 random(kernel.size() + static_cast<uint64_t>(run.end));
  std::vector<std::unique_ptr<Buffer<uint8_t>>> buffers;
  DeviceCall call{kernel, {}, run.begin, run.end};
  for (size_t number = 0; number < entry.operands.size(); ++number) {
    OperandType operand = entry.operands[number];
    if (entry.isFlat && operand.elements > 1)
      operand.elements = std::max(run.elements, run.end);
    const std::vector<uint8_t> drawn = draw(operand, random, run.isTame);
    buffers.push_back(std::make_unique<Buffer<uint8_t>>(drawn.size()));
    auto shared = run.inPlace.find(static_cast<int>(number) - static_cast<int>(entry.arguments));
    if (number < entry.arguments)
      std::copy(drawn.begin(), drawn.end(), &(*buffers.back())[0]);
    else
      buffers.back()->set(ptx::Allocations::kUnwritten);
    call.operands.push_back(shared == run.inPlace.end() ? static_cast<void *>(*buffers.back())
                                                        : call.operands[shared->second]);
  }
  const OperandBytes before = program->bytesOf(call);
  host->run(kernel.c_str(), call.operands, run.begin, run.end);
  return program->differs(call, before, run.seed);
}

int64_t DeviceKernels::largestOperand(const std::string &kernel) const {
  int64_t most = 0;
  for (const OperandType &operand : program->entry(kernel).operands)
    most = std::max(most, operand.elements);
  return most;
}

std::string refusedByDevice(const std::string &mlir) {
  std::string refusal;
  DeviceProgram::compile(mlir, refusal);
  return refusal;
}

} // namespace windlass::codegen::test
