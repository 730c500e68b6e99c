// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphJsonBlocks.h - the blocks of a graph JSON ========================//
//
// Duty: a block is one pure function, called once per repetition with that
// layer's parameters and the carried values.
// Errors: noted at the reader's place.
// Threads: one builder, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/graphjson/GraphJsonStates.h"
#include "compiler/import/graphjson/ValueTable.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>

namespace windlass {

/// {"repeat": 12, "block": "layer", "carry": ["x"], "with": ["mask"], "name": "h.{i}", "prefix":
/// "bert.h.{i}"}
struct Repeat {
  static bool isAt(JsonReader place) { return place.has("block"); }
  Repeat(JsonReader place, const Dimensions &dims);

  std::string layer(int64_t i) const { return instanceOf(name, first + i); } ///< "h.3"
  std::string parameter(int64_t i, const std::string &name) const {
    return instanceOf(prefix, first + i) + "." + name;
  }

  JsonReader place;
  int64_t count = 1, first = 0; ///< first: the number of the first repetition
  std::string block, name, prefix;
};

class Blocks {
public:
  /// Reads "blocks" of the whole document, if it has any.
  Blocks(JsonReader &top, const Dimensions &dims, mlir::MLIRContext *context);

  std::vector<std::string> names() const;
  /// The states of every repetition.
  void addStates(const Repeat &repeat, StateWriter &states);
  /// Calls the block for every repetition, carrying values and passing those of "with"; the function is
  /// written at its first call under the block's name followed by `suffix`, with the sizes of `dims`.
  void call(const Repeat &repeat, const Dimensions &dims, const std::string &suffix, ValueTable &values,
            mlir::OpBuilder &builder, mlir::ModuleOp module);

private:
  struct Block {
    JsonReader place;
    std::vector<Parameter> parameters;
  };
  Block *find(const Repeat &repeat);
  void checkCarried(const Repeat &repeat, Block &block);
  mlir::func::FuncOp function(Block &block, const std::string &name, llvm::ArrayRef<mlir::Value> carried,
                              const Dimensions &dims, mlir::ModuleOp module);
  llvm::SmallVector<mlir::Value> fillBody(Block &block, mlir::Block &body, const Dimensions &dims,
                                          mlir::OpBuilder &builder);

  std::map<std::string, Block> blocks;
};

} // namespace windlass
