// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Meetings.h - the first values that a tensor is combined with ==========//
//
// Duty: finds the values that a tensor is combined with first, to tell buffers from parameters if a file does
// not say which is which. The mean of a data set is subtracted from data, and a weight of positive labels is
// in the loss; no layer reads either. Ownership: refers to the graph and its uses. Threads: one graph, one
// thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Uses.h"

namespace windlass::onnx {

/// Whether an operator reads this input as a weight, which layers train.
bool readsWeight(const Node &node, size_t input);

enum class Meeting : uint8_t {
  Layers,  ///< results of layers, or a layer reads the tensor
  Data,    ///< only inputs, before any layer
  Loss,    ///< also results of layers with labels (inputs that no layer reads)
  Quotient ///< results of layers, which are divided by the tensor, one number
};

class Meetings {
public:
  /// `graph` and `uses` must outlive this object.
  Meetings(const Graph &graph, const Uses &uses);
  Meeting of(ValueId weight) const;

private:
  /// The kinds of values that a value depends on.
  struct Origin {
    bool isLearned = false, isData = false, isLabel = false;
  };

  bool appliesWeight(const Node &node, size_t input) const;
  void findFeatures();
  void followInputs();
  Meeting meet(ValueId id, int depth) const;
  Meeting meetAt(const Use &use, int depth) const;

  const Graph &graph;
  const Uses &uses;
  std::vector<bool> isFeature; ///< whether a layer reads what is computed from the value
  std::vector<Origin> origins; ///< by value
};

} // namespace windlass::onnx
