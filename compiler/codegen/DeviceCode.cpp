// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/DeviceCode.h"

#include "compiler/codegen/DeviceMaps.h"
#include "compiler/codegen/DeviceMemory.h"
#include "compiler/codegen/DeviceSums.h"
#include "compiler/codegen/LowerKernel.h"
#include "compiler/codegen/LowerToLlvm.h"
#include "compiler/codegen/WritePtx.h"

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

/// What every operand's address is a multiple of, as plans promise.
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

/// PTX has fewer letters for names than the other kernel files.
LogicalResult checkName(func::FuncOp kernel) {
  const StringRef name = kernel.getName();
  if (!name.empty() && llvm::isAlpha(name.front()) &&
      llvm::all_of(name, [](char letter) { return llvm::isAlnum(letter) || letter == '_'; }))
    return success();
  return kernel.emitError("kernel '") << name << "' has a name that no device code can have";
}

/// Nothing of a plan has them.
LogicalResult checkElements(func::FuncOp kernel) {
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(), kernel.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && tensor.hasStaticShape() && tensor.getNumElements() == 0)
      return kernel.emitError("kernel '")
             << kernel.getName() << "': no device code is made of tensors without elements";
  return success();
}

FailureOr<DeviceGrid> emitKernel(func::FuncOp kernel, ModuleOp into) {
  OwningOpRef<func::FuncOp> copy = kernel.clone();
  FailureOr<func::FuncOp> function = lowerKernel(*copy, into, Ending::Threads);
  if (failed(function))
    return failure();
  FailureOr<RowNest> nest = RowNest::find(*function);
  if (failed(nest))
    return failure();
  return hasSums(*function) ? spreadSums(*nest) : spreadMaps(*nest);
}

/// Says of the functions that they are kernels, how large their blocks are, and what addresses they get.
void markKernels(ModuleOp module, ArrayRef<DeviceGrid> grids) {
  Builder builder(module.getContext());
  for (auto [function, grid] : llvm::zip_equal(module.getOps<LLVM::LLVMFuncOp>(), grids)) {
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    const std::array<int32_t, 3> threads = {static_cast<int32_t>(grid.threads), 1, 1};
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), builder.getDenseI32ArrayAttr(threads));
    for (BlockArgument argument : function.getArguments())
      if (isa<LLVM::LLVMPointerType>(argument.getType()))
        function.setArgAttr(argument.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName(),
                            builder.getI64IntegerAttr(kOperandAlignment));
  }
}

} // namespace

FailureOr<DeviceCode> generateDeviceCode(ArrayRef<func::FuncOp> kernels) {
  DeviceCode code;
  if (kernels.empty())
    return code;
  func::FuncOp first = kernels.front();
  prepare(*first.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(first.getLoc());
  for (func::FuncOp kernel : kernels) {
    if (failed(checkName(kernel)) || failed(checkElements(kernel)))
      return failure();
    FailureOr<DeviceGrid> grid = emitKernel(kernel, *module);
    if (failed(grid))
      return failure();
    code.grids.push_back(*grid);
  }
  if (failed(moveToDevice(*module)) || failed(convertToLlvm(*module)))
    return failure();
  markKernels(*module, code.grids);
  FailureOr<std::string> text = writePtx(*module);
  if (failed(text))
    return failure();
  code.ptx = std::move(*text);
  return code;
}

} // namespace windlass::codegen
