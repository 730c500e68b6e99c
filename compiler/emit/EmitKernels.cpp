// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/EmitKernels.h"

#include "dialects/Graph/IR/GraphDialect.h"
#include "dialects/Graph/IR/GraphPitch.h"
#include "dialects/Graph/IR/kernels/GraphKernelCost.h"
#include "dialects/Graph/IR/kernels/GraphPartialSums.h"
#include "runtime/base/Units.h"

using namespace mlir;

namespace windlass {
namespace {

plan::MatmulSpec matmulSpec(graph::MatmulOp op, plan::ElementType a, plan::ElementType b,
                            plan::ElementType c) {
  plan::MatmulSpec spec;
  spec.accumulate = static_cast<bool>(op.getOnto());
  for (auto [pitch, operand] :
       {std::pair(&spec.pitchA, op.getA()), {&spec.pitchB, op.getB()}, {&spec.pitchC, op.getResult()}})
    if (auto type = cast<RankedTensorType>(operand.getType()); type.getEncoding())
      *pitch = graph::pitchOf(type);
  auto left = cast<RankedTensorType>(op.getA().getType()),
       result = cast<RankedTensorType>(op.getResult().getType());
  for (int64_t extent : result.getShape().drop_back(2))
    spec.batch *= extent;
  spec.m = result.getShape()[result.getRank() - 2];
  spec.n = result.getShape().back();
  spec.k = op.getTransposeA() ? left.getShape()[left.getRank() - 2] : left.getShape().back();
  spec.transposeA = op.getTransposeA();
  spec.transposeB = op.getTransposeB();
  spec.a = a;
  spec.b = b;
  spec.c = c;
  return spec;
}

/// Whether operand `i` (arguments, then results) is read or written index by index by a map over one
/// dimension: the plan cuts it to the range of a launch, so it has no size of its own.
bool isCut(func::FuncOp function, size_t i) {
  auto map = dyn_cast<graph::MapOp>(function.getBody().front().front());
  auto loops = map ? cast<RankedTensorType>(map.getResult(0).getType()) : RankedTensorType();
  if (!map || loops.getRank() != 1)
    return false;
  if (i >= function.getNumArguments())
    return true;
  Value argument = function.getArgument(i);
  return llvm::all_of(llvm::zip_equal(map.getInputs(), map.getMapValues()), [&](auto pair) {
    auto [input, index] = pair;
    return input != argument ||
           (index.isIdentity() && cast<RankedTensorType>(input.getType()).getShape() == loops.getShape());
  });
}

} // namespace

Result<plan::ElementType> elementType(Type type) {
  if (type.isF32())
    return plan::ElementType::F32;
  if (type.isBF16())
    return plan::ElementType::BF16;
  if (type.isF16())
    return plan::ElementType::F16;
  if (type.isF64())
    return plan::ElementType::F64;
  if (type.isInteger(32))
    return plan::ElementType::I32;
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return Status::internal("a plan has no element type " + text);
}

Result<plan::Kernel> emitKernel(func::FuncOp function) {
  Operation &body = function.getBody().front().front();
  FailureOr<graph::KernelCost> cost = graph::describeKernel(function);
  if (failed(cost))
    return Status::internal("kernel " + function.getSymName().str() + " has no cost");
  plan::Kernel kernel;
  kernel.symbol = function.getSymName().str();
  kernel.extent = cost->extent;
  kernel.flops = cost->flops;
  kernel.bytes = cost->bytes;
  auto shown = cast<RankedTensorType>(body.getResult(0).getType());
  kernel.description = body.getName().stripDialect().str() + " " + formatShape(shown.getShape());
  auto matmul = dyn_cast<graph::MatmulOp>(body);
  SmallVector<Type> types = llvm::to_vector(function.getArgumentTypes());
  if (matmul && matmul.getOnto()) // the library adds to its result
    types.pop_back();
  size_t arguments = types.size();
  llvm::append_range(types, function.getResultTypes());
  std::vector<plan::ElementType> elements;
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensor = cast<RankedTensorType>(type);
    Result<plan::ElementType> element = elementType(tensor.getElementType());
    if (!element)
      return element.status();
    elements.push_back(*element);
    kernel.args.push_back(i < arguments ? plan::Access::Read : plan::Access::Write);
    int64_t bytes = graph::storedElements(tensor) * tensor.getElementTypeBitWidth() / 8;
    kernel.argBytes.push_back(isCut(function, i) ? 0 : bytes);
  }
  if (matmul) {
    kernel.kind = plan::KernelKind::Matmul;
    kernel.matmul = matmulSpec(matmul, elements[0], elements[1], elements[2]);
    if (kernel.matmul.accumulate)
      kernel.args.back() = plan::Access::ReadWrite;
    kernel.args.push_back(plan::Access::Scratch);
    kernel.argBytes.push_back(0);
  }
  if (auto partials = function->getAttrOfType<DenseI64ArrayAttr>(graph::kPartials))
    for (int64_t bytes : partials.asArrayRef()) {
      kernel.args.push_back(plan::Access::Scratch);
      kernel.argBytes.push_back(bytes);
    }
  return kernel;
}

} // namespace windlass
