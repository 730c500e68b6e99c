// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Codegen.h"

#include "compiler/codegen/LowerToLlvm.h"
#include "compiler/codegen/lowering/LowerKernel.h"
#include "compiler/codegen/object/ObjectCode.h"
#include "compiler/codegen/vectors/Vectorize.h"
#include "runtime/base/PieceSymbols.h"

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

#include "llvm/Support/raw_ostream.h"

#include <vector>

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

/// Builds the loops of a kernel, as a function with the kernel's name and `suffix`.
FailureOr<func::FuncOp> emitLoops(func::FuncOp kernel, StringRef suffix, ModuleOp into) {
  OwningOpRef<func::FuncOp> copy = kernel.clone();
  copy->setName((kernel.getName() + suffix).str());
  return lowerKernel(*copy, into);
}

LogicalResult emitWhole(func::FuncOp kernel, ModuleOp into) {
  FailureOr<func::FuncOp> function = emitLoops(kernel, "", into);
  if (failed(function))
    return failure();
  vectorizeGenerics(*function);
  return success();
}

/// Builds the two further functions of a sum in two phases, for many threads.
LogicalResult emitPhases(func::FuncOp kernel, int64_t pieces, ModuleOp into) {
  for (auto [suffix, phase] :
       {std::pair(kPiecesSuffix, SumPhase::Pieces), std::pair(kTotalSuffix, SumPhase::Total)}) {
    FailureOr<func::FuncOp> function = emitLoops(kernel, suffix, into);
    if (failed(function) || failed(vectorizeRow(*function, phase)))
      return failure();
  }
  OpBuilder builder = OpBuilder::atBlockEnd(into.getBody());
  LLVM::GlobalOp::create(builder, kernel.getLoc(), builder.getI64Type(), /*isConstant=*/true,
                         LLVM::Linkage::External, (kernel.getName() + kPieceCountSuffix).str(),
                         builder.getI64IntegerAttr(pieces));
  return success();
}

FailureOr<std::string> compileTogether(ArrayRef<func::FuncOp> kernels, const ObjectWriter &writer) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernels.front()->getLoc());
  for (func::FuncOp kernel : kernels) {
    const int64_t pieces = graph::rowPieces(kernel);
    if (failed(emitWhole(kernel, *module)) || (pieces > 0 && failed(emitPhases(kernel, pieces, *module))))
      return failure();
  }
  if (failed(lowerToLlvm(*module)))
    return failure();
  return writer.write(*module);
}

/// The key of an object file: everything that its code depends on but the program that makes it.
std::string keyOf(ArrayRef<func::FuncOp> kernels, StringRef cpu) {
  std::string key = cpu.str() + "\n";
  llvm::raw_string_ostream out(key);
  for (func::FuncOp kernel : kernels)
    kernel.print(out, OpPrintingFlags().useLocalScope().assumeVerified()); // numbers no other function
  return key;
}

FailureOr<std::string> findOrCompile(ArrayRef<func::FuncOp> kernels, const TargetOptions &options,
                                     const ObjectWriter &writer) {
  const auto [cache, folder] = options.known;
  const std::string key = cache || folder ? keyOf(kernels, options.cpu) : "";
  if (std::string object = cache ? cache->find(key) : ""; !object.empty())
    return object;
  std::string object = folder ? folder->find(key) : "";
  if (object.empty()) {
    FailureOr<std::string> compiled = compileTogether(kernels, writer);
    if (failed(compiled))
      return failure();
    object = std::move(*compiled);
    if (folder)
      folder->keep(key, object);
  }
  if (cache)
    cache->keep(key, object);
  return object;
}

/// The object files of all kernels: a single one, which is made fastest; or with a cache one per kernel,
/// which may be found again.
FailureOr<std::vector<std::string>> compileAll(ArrayRef<func::FuncOp> kernels, const TargetOptions &options,
                                               const ObjectWriter &writer) {
  std::vector<std::string> objects;
  const size_t together = options.known.cache ? 1 : kernels.size();
  for (; !kernels.empty(); kernels = kernels.drop_front(together)) {
    FailureOr<std::string> object = findOrCompile(kernels.take_front(together), options, writer);
    if (failed(object))
      return failure();
    objects.push_back(std::move(*object));
  }
  return objects;
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
  FailureOr<ObjectWriter> writer = ObjectWriter::create(first, cpu);
  if (failed(writer))
    return failure();
  FailureOr<std::vector<std::string>> objects = compileAll(kernels, options, *writer);
  if (failed(objects))
    return failure();
  if (!options.symbol.empty()) {
    FailureOr<std::string> object = writer->writeText(first, options.symbol, options.text);
    if (failed(object))
      return failure();
    objects->push_back(std::move(*object));
  }
  const std::string problem = linkSharedObject(*objects, sharedObjectPath.str());
  if (!problem.empty())
    return first.emitError("cannot link '") << sharedObjectPath << "': " << problem;
  return success();
}

} // namespace windlass::codegen
