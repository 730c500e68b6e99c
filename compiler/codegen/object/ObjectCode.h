// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ObjectCode.h - the LLVM dialect as object files, then a library =======//
//
// Duty: writes modules of the LLVM dialect as object files, and links object files to a shared object. The
// optimiser and the code generator use nothing that may change bits or call a library. Equal input gives an
// equal file.
// Errors: of ObjectWriter, diagnostics; of linkSharedObject, a message. Threads: an ObjectWriter has one
// owner; linkSharedObject may be called by any, and runs for one caller at a time.
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
  /// An object file that exports `text`, zero-terminated, as `symbol`, and has no code.
  mlir::FailureOr<std::string> writeText(mlir::Operation *blamed, llvm::StringRef symbol,
                                         llvm::StringRef text) const;

private:
  explicit ObjectWriter(std::unique_ptr<llvm::TargetMachine> machine);
  mlir::FailureOr<std::string> emit(mlir::Operation *blamed, llvm::Module &code, bool isOptimized) const;

  std::unique_ptr<llvm::TargetMachine> machine;
};

/// Links `objects`, the bytes of object files, in this order to the shared object `path`, which has no
/// dependencies and no undefined symbols. Meanwhile an archive of the objects lies at `path`.a. Returns an
/// error message; empty on success.
std::string linkSharedObject(const std::vector<std::string> &objects, const std::string &path);

} // namespace windlass::codegen
