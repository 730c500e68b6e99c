// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphJsonOps.h - the operations of a graph JSON =======================//
//
// Duty: reads one operation and builds it. The list of operations: the tables of GraphJsonOp.h.
// Shapes are checked here, where the place in the file is known.
// Errors: noted at the reader's place; then nothing is built.
// Threads: one builder, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/graphjson/Dimensions.h"
#include "compiler/import/graphjson/ValueTable.h"
#include "mlir/IR/Builders.h"
#include <string>

namespace windlass {

/// Builds the operation at `place` and names its results: "out" is one name or a list.
void buildOp(JsonReader place, const Dimensions &dims, ValueTable &values, mlir::OpBuilder &builder);

/// The names under `key`: one name or a list; none without the key.
llvm::SmallVector<std::string> namesAt(JsonReader place, std::string_view key);

/// The sum of all elements, as a tensor of rank 0.
mlir::Value buildSum(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor);

/// The operations in Markdown, as docs/models.md shows them.
std::string graphJsonOpTable();
/// The JSON Schema of a model file, as docs/schema/model.schema.json keeps it.
std::string graphJsonSchema();

} // namespace windlass
