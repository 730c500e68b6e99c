//===- GraphJsonStates.h - the parameters of a graph JSON ==================//
//
// Duty: reads "params" objects and writes them as states.
// Errors: noted at the reader's place.
// Threads: one builder, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/Dimensions.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include <set>
#include <string>
#include <vector>

namespace windlass {

struct Parameter {
  std::string name; ///< within its block, or the whole name
  mlir::RankedTensorType type;
  graph::InitAttr init;
  std::string group; ///< "decay" or "no_decay"
};

/// The parameters of an object "params"; none if `owner` has no such key.
std::vector<Parameter> readParameters(JsonReader &owner, const Dimensions &dims, mlir::MLIRContext *context);

/// Writes states, each under a name that is not taken.
class StateWriter {
public:
  StateWriter(mlir::OpBuilder builder) : builder(builder) {}

  /// Functions, steps and states share one space of names.
  void reserve(const std::string &name) { taken.insert(name); }
  void add(JsonReader place, const Parameter &parameter, const std::string &name, const std::string &layer);

private:
  mlir::OpBuilder builder;
  std::set<std::string> taken;
};

} // namespace windlass
