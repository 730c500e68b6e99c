// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ObjectCode.h - the LLVM dialect becomes object files, then a library ===//
//
// Duty: LLVM's optimiser and code generator with nothing that may change bits or
// call a library, and the linker. Equal input gives an equal file.
// Errors: a message, empty on success.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace windlass::codegen {

/// Writes object files for one instruction set, as bytes. Errors: diagnostics.
class ObjectWriter {
public:
  static mlir::FailureOr<ObjectWriter> create(mlir::Operation *blamed, llvm::StringRef cpu);
  ObjectWriter(ObjectWriter &&) noexcept;
  ~ObjectWriter();

  mlir::FailureOr<std::string> write(mlir::ModuleOp module) const;
  /// A zero-terminated text under a name, and no code.
  mlir::FailureOr<std::string> writeText(mlir::Operation *blamed, llvm::StringRef symbol,
                                         llvm::StringRef text) const;

private:
  explicit ObjectWriter(std::unique_ptr<llvm::TargetMachine> machine);
  mlir::FailureOr<std::string> emit(mlir::Operation *blamed, llvm::Module &code, bool isOptimized) const;

  std::unique_ptr<llvm::TargetMachine> machine;
};

/// Links object files, in this order, to a shared object without a dependency or an undefined symbol. An
/// archive of them stands beside it for that long.
std::string linkSharedObject(const std::vector<std::string> &objects, const std::string &path);

} // namespace windlass::codegen
