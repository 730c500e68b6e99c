// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/DeviceCode.h"

#include "compiler/codegen/LowerToLlvm.h"
#include "compiler/codegen/device/DeviceBuiltins.h"
#include "compiler/codegen/device/DeviceMaps.h"
#include "compiler/codegen/device/DeviceMemory.h"
#include "compiler/codegen/device/DeviceSums.h"
#include "compiler/codegen/lowering/LowerKernel.h"
#include "compiler/codegen/ptx/WritePtx.h"
#include "dialects/Graph/IR/kernels/GraphPartialSums.h"
#include "runtime/base/PtxSymbol.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

/// The alignment of every operand's address, which plans guarantee.
constexpr int64_t kOperandAlignment = 64;

void prepare(MLIRContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<affine::AffineDialect, cf::ControlFlowDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                      memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect, ub::UBDialect,
                      vector::VectorDialect>();
}

/// Checks the name of a kernel: PTX allows fewer characters than other kernel files.
LogicalResult checkName(func::FuncOp kernel) {
  const StringRef name = kernel.getName();
  if (!name.empty() && llvm::isAlpha(name.front()) &&
      llvm::all_of(name, [](char letter) { return llvm::isAlnum(letter) || letter == '_'; }))
    return success();
  return kernel.emitError("kernel '") << name << "' has a name that no device code can have";
}

/// Refuses tensors without elements, which no plan has.
LogicalResult checkElements(func::FuncOp kernel) {
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(), kernel.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0)
      return kernel.emitError("kernel '")
             << kernel.getName() << "': no device code is made of tensors without elements";
  return success();
}

FailureOr<DeviceGrid> emitPhase(func::FuncOp kernel, StringRef name, SumPhase phase, ModuleOp into) {
  OwningOpRef<func::FuncOp> copy = kernel.clone();
  copy->setName(name);
  FailureOr<func::FuncOp> function = lowerKernel(*copy, into, Ending::Threads);
  if (failed(function))
    return failure();
  FailureOr<RowNest> nest = RowNest::find(*function);
  if (failed(nest))
    return failure();
  return hasSums(*function) ? spreadSums(*nest, phase) : spreadMaps(*nest);
}

/// Builds a function for each phase, in order.
FailureOr<std::vector<DeviceGrid>> emitKernel(func::FuncOp kernel, ModuleOp into) {
  if (auto matmul = dyn_cast<graph::MatmulOp>(kernel.front().front()))
    return std::vector{emitReferenceMatmul(kernel, matmul, into)};
  SmallVector<SumPhase> phases = {SumPhase::Whole};
  if (kernel->hasAttr(graph::kPartials))
    phases = {SumPhase::Pieces, SumPhase::Total};
  std::vector<DeviceGrid> grids;
  for (auto [number, phase] : llvm::enumerate(phases)) {
    FailureOr<DeviceGrid> grid = emitPhase(kernel, ptxSymbol(kernel.getName().str(), number), phase, into);
    if (failed(grid))
      return failure();
    grids.push_back(*grid);
  }
  return grids;
}

/// Marks a function as a kernel entry, with the threads of its blocks.
void markEntry(LLVM::LLVMFuncOp function, int64_t threads) {
  Builder builder(function.getContext());
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  const std::array<int32_t, 3> block = {static_cast<int32_t>(threads), 1, 1};
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), builder.getDenseI32ArrayAttr(block));
}

/// Annotates what is known of the addresses that a kernel gets.
void alignOperands(LLVM::LLVMFuncOp kernel) {
  Builder builder(kernel.getContext());
  for (BlockArgument argument : kernel.getArguments())
    if (isa<LLVM::LLVMPointerType>(argument.getType()))
      kernel.setArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(kOperandAlignment));
}

/// Marks the entries of a module: the functions of the phases of kernels, then `others`, by the threads of
/// their blocks.
void markEntries(ModuleOp module, const DeviceCode &code, ArrayRef<int64_t> others) {
  SmallVector<DeviceGrid> grids;
  for (const std::vector<DeviceGrid> &phases : code.phases)
    llvm::append_range(grids, phases);
  size_t number = 0;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    const bool isKernel = number < grids.size();
    markEntry(function, isKernel ? grids[number].threads : others[number - grids.size()]);
    if (isKernel)
      alignOperands(function);
    ++number;
  }
}

/// Builds the functions of all kernels in a new module.
FailureOr<DevicePhases> emitKernels(ArrayRef<func::FuncOp> kernels, OwningOpRef<ModuleOp> &module) {
  func::FuncOp first = kernels.front();
  prepare(*first.getContext());
  module = ModuleOp::create(first.getLoc());
  DevicePhases all;
  for (func::FuncOp kernel : kernels) {
    if (failed(checkName(kernel)) || failed(checkElements(kernel)))
      return failure();
    FailureOr<std::vector<DeviceGrid>> phases = emitKernel(kernel, *module);
    if (failed(phases))
      return failure();
    all.push_back(std::move(*phases));
  }
  return all;
}

} // namespace

FailureOr<DevicePhases> devicePhases(ArrayRef<func::FuncOp> kernels) {
  OwningOpRef<ModuleOp> module;
  return kernels.empty() ? DevicePhases() : emitKernels(kernels, module);
}

FailureOr<DeviceCode> generateDeviceCode(ArrayRef<func::FuncOp> kernels, Builtins builtins) {
  DeviceCode code;
  if (kernels.empty())
    return code;
  OwningOpRef<ModuleOp> module;
  FailureOr<DevicePhases> phases = emitKernels(kernels, module);
  if (failed(phases))
    return failure();
  code.phases = std::move(*phases);
  SmallVector<int64_t> others;
  if (builtins == Builtins::All)
    others = emitBuiltins(*module);
  if (failed(moveToDevice(*module)) || failed(convertToLlvm(*module)))
    return failure();
  markEntries(*module, code, others);
  FailureOr<std::string> text = writePtx(*module);
  if (failed(text))
    return failure();
  code.ptx = std::move(*text);
  return code;
}

} // namespace windlass::codegen
