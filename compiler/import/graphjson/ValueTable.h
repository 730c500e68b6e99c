// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ValueTable.h - the names of a graph JSON and their values =============//
//
// Duty: maps names to values inside one function or step. A name is defined once; only the carried values of
// a repeated block are defined again. Errors: noted at the reader's place; an unknown name names the nearest
// one. Threads: one table, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Value.h"
#include "runtime/base/JsonReader.h"
#include <functional>
#include <map>
#include <string>

namespace windlass {

class ValueTable {
public:
  /// Makes the value of a name at its first use.
  using Maker = std::function<mlir::Value()>;

  void defineLazily(const std::string &name, Maker maker) { lazy[name] = std::move(maker); }
  void define(JsonReader place, mlir::Value value);
  void redefine(const std::string &name, mlir::Value value) { values[name] = value; }
  /// Null after a failure.
  mlir::Value find(JsonReader place);
  /// Lazily defined names that nothing has used.
  std::vector<std::string> unused() const;

private:
  std::map<std::string, mlir::Value> values;
  std::map<std::string, Maker> lazy;
};

} // namespace windlass
