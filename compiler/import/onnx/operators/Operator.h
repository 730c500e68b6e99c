// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Operator.h - what Windlass knows about ONNX's operators =============//
//
// Duty: one row per operator: the types of its results, their elements where
// everything it reads is known before the run, and the graph-JSON operations it
// becomes. A family of operators is one file; allOperators() is the whole table.
// Errors: noted at the OpView, of which the first stays.
// Threads: pure functions.
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

/// One node, seen by its operator. Everything reads as zero or empty after a failure.
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
  /// The integers of an attribute, or of input i where newer operator sets have them; none if neither is
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

/// As many as a node likes.
inline constexpr size_t kAny = SIZE_MAX;

struct Operator {
  std::string_view name;
  std::string_view meaning; ///< what it becomes, for the table in docs/models.md
  /// How many inputs it takes, in any operator set: older ones say axes and places by attributes. The first
  /// `least` must be given; of one that takes any number, all.
  size_t least, most;
  std::vector<Type> (*infer)(OpView &);
  /// Null where it is never computed before the run.
  std::vector<Literal> (*evaluate)(OpView &);
  /// Null where it must be known before the run.
  void (*write)(OpView &, Writer &);
};

/// Null for an operator that is not supported: of ONNX's own domain, or made here (Rewrite.h).
const Operator *findOperator(const Node &node);
std::vector<const Operator *> allOperators();
/// Whether a node has as many inputs as its operator takes, and a first result. No step begins before
/// checkOperators (FoldConstants.h) has asked this of every node, and inferNode asks it of those made later.
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
/// Those that ONNX does not have: recognised or appended, never read from a file.
std::span<const Operator> ownOperators();

} // namespace windlass::onnx
