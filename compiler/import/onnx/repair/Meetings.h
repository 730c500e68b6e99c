// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Meetings.h - what a tensor meets before any layer ===================//
//
// Duty: where a file does not say which tensors are buffers, what they are used for
// may: the mean of a data set is subtracted from data, a weight of positive labels
// stands in the loss, and no layer of the model reads either.
// Ownership: refers to the graph and its uses. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Uses.h"

namespace windlass::onnx {

/// Whether an operator reads this input as a weight that is trained.
bool readsWeight(const Node &node, size_t input);

enum class Meeting : uint8_t {
  Layers,  ///< what layers computed, or a layer itself
  Data,    ///< only inputs before any layer
  Loss,    ///< that, or what was computed of layers and labels: inputs that no layer reads
  Quotient ///< one number, by which what layers computed is divided
};

class Meetings {
public:
  /// Both must outlive it.
  Meetings(const Graph &graph, const Uses &uses);
  Meeting of(ValueId weight) const;

private:
  /// What a value was computed from.
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
