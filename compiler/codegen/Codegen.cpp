// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Codegen.h"

#include "compiler/codegen/LowerKernel.h"
#include "compiler/codegen/LowerToLlvm.h"
#include "compiler/codegen/ObjectCode.h"
#include "compiler/codegen/Vectorize.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace windlass::codegen {
namespace {

void prepare(MLIRContext &context) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.loadDialect<affine::AffineDialect, cf::ControlFlowDialect, linalg::LinalgDialect, LLVM::LLVMDialect,
                      memref::MemRefDialect, scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
}

LogicalResult lower(ArrayRef<func::FuncOp> kernels, ModuleOp module) {
  for (func::FuncOp kernel : kernels) {
    OwningOpRef<func::FuncOp> copy = kernel.clone();
    FailureOr<func::FuncOp> function = lowerKernel(*copy, module);
    if (failed(function))
      return failure();
    vectorizeGenerics(*function);
  }
  return lowerToLlvm(module);
}

} // namespace

LogicalResult generateKernels(ArrayRef<func::FuncOp> kernels, const TargetOptions &options,
                              StringRef sharedObjectPath) {
  if (kernels.empty())
    return success();
  func::FuncOp first = kernels.front();
  const std::string &cpu = options.cpu;
  if (cpu != "x86-64-v3" && cpu != "x86-64-v4")
    return first.emitError("kernels are generated for 'x86-64-v3' or 'x86-64-v4', not for '") << cpu << "'";
  prepare(*first.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(first.getLoc());
  if (failed(lower(kernels, *module)))
    return failure();
  std::string object = (sharedObjectPath + ".o").str();
  LogicalResult written = writeObject(*module, {cpu, options.symbol, options.text}, object);
  std::string problem = succeeded(written) ? linkSharedObject(object, sharedObjectPath.str()) : "";
  llvm::sys::fs::remove(object);
  if (!problem.empty())
    return first.emitError("cannot link '") << sharedObjectPath << "': " << problem;
  return written;
}

} // namespace windlass::codegen
