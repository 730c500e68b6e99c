// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphJsonStates.h - the parameters of a graph JSON ====================//
//
// Duty: reads "params" objects and writes them as states.
// Errors: noted at the reader's place.
// Threads: one builder, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/graphjson/Dimensions.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include <set>
#include <string>
#include <vector>

namespace windlass {

struct Parameter {
  /// The tensor of a file that holds its first values.
  struct Source {
    std::string file;   ///< beside the model; empty: none
    std::string tensor; ///< empty: as the parameter; "{i}" becomes the number of the repetition
    bool transposed = false;
  };

  std::string name; ///< within its block, or the whole name
  mlir::RankedTensorType type;
  graph::InitAttr init; ///< null: the first values come from the source
  std::string group;    ///< one of ParameterGroups.h
  Source source;
  bool isNumber = false; ///< rank 0; `type` then has one dimension of size 1
};

/// A name with "{i}" replaced by the number of the repetition.
std::string instanceOf(std::string pattern, int64_t i);

/// The parameters of an object "params"; none if `owner` has no such key.
std::vector<Parameter> readParameters(JsonReader &owner, const Dimensions &dims, mlir::MLIRContext *context);

/// Writes states, each under a name that is not taken.
class StateWriter {
public:
  StateWriter(mlir::OpBuilder builder) : builder(builder) {}

  /// Reserves a name: functions, steps and states share one name space.
  void reserve(const std::string &name) { taken.insert(name); }
  /// Adds a state. `repetition`: number of the repetition of the block that owns it.
  void add(JsonReader place, const Parameter &parameter, const std::string &name, const std::string &layer,
           int64_t repetition = 0);

private:
  mlir::OpBuilder builder;
  std::set<std::string> taken;
};

} // namespace windlass
