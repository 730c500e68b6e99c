// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Operator.h - the table of supported ONNX operators ====================//
//
// Duty: one row per operator: functions that infer the types of its results, evaluate the results if all
// inputs are known before the run, and write its graph-JSON operations. A family of operators is one file;
// allOperators() is the whole table. Errors: noted at the OpView, which keeps the first. Threads: pure
// functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"
#include <algorithm>
#include <optional>
#include <span>

namespace windlass::onnx {

class Writer;

struct Type {
  DataType type = DataType::Undefined;
  Shape shape;
};

/// One node, as its operator reads it. After a failure everything reads as zero or empty.
class OpView {
public:
  OpView(const Graph &graph, const Node &node, Status &failure)
      : graph(graph), node(node), failure(&failure) {}

  size_t inputs() const { return node.inputs.size(); }
  bool has(size_t i) const { return node.has(i); }
  ValueId in(size_t i) const { return node.inputs[i]; }
  ValueId out(size_t i = 0) const { return node.outputs[i]; }
  bool hasOut(size_t i) const { return i < node.outputs.size() && node.outputs[i] != kAbsent; }
  const Shape &shape(size_t i) const { return graph.at(in(i)).shape; }
  DataType type(size_t i) const { return graph.at(in(i)).type; }
  int64_t rank(size_t i) const { return static_cast<int64_t>(shape(i).size()); }
  Type typeOf(size_t i) const { return {type(i), shape(i)}; }
  Type result(size_t i = 0) const { return {graph.at(out(i)).type, graph.at(out(i)).shape}; }
  /// Null if the elements are not known before the run.
  const Literal *literal(size_t i) const { return has(i) ? graph.at(in(i)).literal.get() : nullptr; }

  int64_t integer(const std::string &key, int64_t otherwise) const { return node.integer(key, otherwise); }
  double real(const std::string &key, double otherwise) const;
  std::string text(const std::string &key, const std::string &otherwise) const;
  /// The integers of an attribute, or of input i, where newer operator sets have them; nothing if neither is
  /// given.
  std::optional<std::vector<int64_t>> integers(const std::string &key, size_t i = SIZE_MAX);
  /// The same as dimensions of `rank`: negative ones count from the end, each at most once.
  std::optional<std::vector<int64_t>> axes(const std::string &key, size_t i, int64_t rank);
  int64_t axis(const std::string &key, int64_t otherwise, int64_t rank);
  int64_t normalized(int64_t axis, int64_t rank);

  /// Fails if input i has no elements.
  bool needElements(size_t i);
  /// The shape to which all are broadcast as numpy does.
  Shape broadcast(const std::vector<Shape> &shapes);
  void fail(const std::string &rule);
  bool need(bool holds, const std::string &rule);
  bool isOk() const { return failure->isOk(); }

  const Graph &graph;
  const Node &node;

private:
  Status *failure;
};

/// `Operator::most` of an operator that takes any number of inputs.
inline constexpr size_t kUnlimited = SIZE_MAX;

struct Operator {
  std::string_view name;
  std::string_view meaning; ///< its operations, for the table in docs/models.md
  /// The least and most inputs, over all operator sets (older sets have axes as attributes). The first
  /// `least` inputs must be given; of an operator with any number of inputs, all must.
  size_t least, most;
  std::vector<Type> (*infer)(OpView &);
  /// Null for an operator that is never computed before the run.
  std::vector<Literal> (*evaluate)(OpView &);
  /// Null for an operator whose result must be known before the run.
  void (*write)(OpView &, Writer &);
};

/// The operator of a node, of ONNX's domain or of kOwnDomain; null if it is not supported.
const Operator *findOperator(const Node &node);
std::vector<const Operator *> allOperators();
/// Ok if a node has as many inputs as its operator takes, and a first result. checkOperators
/// (FoldConstants.h) checks every node of a file before any other step, and inferNode the nodes made later.
Status checkOperands(const Node &node, const Operator &op);
/// The table of operators in Markdown, as docs/models.md shows it.
std::string operatorTable();

// The families.
std::span<const Operator> elementwiseOperators();
std::span<const Operator> activationOperators();
std::span<const Operator> comparisonOperators();
std::span<const Operator> shapeOperators();
std::span<const Operator> movementOperators();
std::span<const Operator> indexingOperators();
std::span<const Operator> gatherOperators();
std::span<const Operator> productOperators();
std::span<const Operator> convolutionOperators();
std::span<const Operator> poolOperators();
std::span<const Operator> reductionOperators();
std::span<const Operator> normalizationOperators();
std::span<const Operator> channelNormOperators();
std::span<const Operator> paddingOperators();
std::span<const Operator> resizeOperators();
std::span<const Operator> attentionOperators();
std::span<const Operator> lossOperators();
/// The operators of kOwnDomain: recognition and other steps make them; no file has them.
std::span<const Operator> ownOperators();

} // namespace windlass::onnx
