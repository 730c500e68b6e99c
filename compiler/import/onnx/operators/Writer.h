// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Writer.h - the graph-JSON document that a graph becomes ===============//
//
// Duty: writes names, shapes and operations of a "windlass.model/1" document. A value is identified with its
// elements in row-major order. Each reader asks for a shape, and a reshape is written only if the value was
// written in another shape. So a hidden state stays a matrix of rows x features through a whole transformer.
// Equal operations on equal values are written once, except dropouts, each of which draws its own mask.
// Threads: one document, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace windlass::onnx {

class Writer {
public:
  /// `asRows`: values of three or more dimensions that become a matrix of their rows as soon as they are
  /// made.
  explicit Writer(const Graph &graph, std::set<ValueId> asRows = {})
      : graph(graph), asRows(std::move(asRows)) {}

  /// Declares a value that the document has under `name`: an input or a parameter.
  void declare(ValueId id, const std::string &name, Shape shape);

  /// The name under which the document has the value's elements in `shape`; as() in the value's own shape,
  /// matrix() in one of `columns` columns.
  std::string as(ValueId id, const Shape &shape);
  std::string as(ValueId id) { return as(id, graph.at(id).shape); }
  std::string matrix(ValueId id, int64_t columns);
  /// Whether a value was written.
  bool has(ValueId id) const { return values.contains(id); }
  /// The shape in which a value was written; its own if it was not.
  Shape held(ValueId id) const;

  /// Appends an operation whose result is the value, in `shape`.
  void define(ValueId id, nlohmann::json op, Shape shape);
  void define(ValueId id, nlohmann::json op) { define(id, std::move(op), graph.at(id).shape); }
  /// Appends an operation whose result has no value in the graph; returns its name.
  std::string intermediate(nlohmann::json op);
  /// Makes `id` another shape of `of`.
  void alias(ValueId id, ValueId of);

  /// The operations that `result` depends on.
  nlohmann::json takeOps(const std::string &result);

private:
  struct Held {
    std::string name;
    Shape shape;
  };
  const Held &find(ValueId id);
  /// Notes the name and shape under which the document has a value, or those of its rows.
  void hold(ValueId id, const std::string &name, Shape shape);
  /// The name of the operation's result: a new one, if possible `wish`, or that of an equal operation before.
  std::string append(nlohmann::json op, const std::string &wish);
  std::string write(nlohmann::json op, const std::string &wish);
  std::string fresh(const std::string &wish);

  const Graph &graph;
  std::set<ValueId> asRows;
  nlohmann::json ops = nlohmann::json::array();
  std::map<ValueId, Held> values;
  std::map<std::string, std::string> written; ///< names of results, by their operation
  std::map<std::string, int64_t> taken;       ///< names, with how many variants of each
};

} // namespace windlass::onnx
