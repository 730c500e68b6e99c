// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Model.h - an ONNX file as plain structs ===============================//
//
// Duty: the data of the ONNX reader: one flat graph in SSA form, with nodes in an order in which they can
// run. A value is identified by its index; FoldConstants.h fills in its type, its shape and, if known, its
// elements. Ownership: a Graph owns everything; Node pointers stay valid while the node lives. Units: shapes
// in elements, row-major; offsets in bytes. Threads: one graph, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Literal.h"
#include "compiler/import/onnx/graph/TorchCall.h"
#include <functional>
#include <map>
#include <memory>
#include <variant>

namespace windlass::onnx {

/// Domain of the operators that graph JSON has and ONNX lacks. Files must not use it.
inline constexpr const char *kOwnDomain = "windlass";

/// A stored tensor: in memory, or a range of a file beside the model.
struct Tensor {
  DataType type = DataType::Undefined;
  Shape shape;
  std::string bytes;    ///< little-endian, row-major; empty if the elements are only in `file`
  std::string file;     ///< absolute path; has the elements contiguously; empty: no file
  int64_t offset = 0;   ///< of the first byte in `file`
  bool varints = false; ///< `file` has 16-bit floats as varints; `bytes` has them, too

  int64_t byteSize() const { return elementsOf(shape) * bytesOf(type); }
};

/// Calls `visit` with the tensor's bytes, from memory or from the file, in pieces of whole elements.
Status visitBytes(const Tensor &tensor, const std::function<void(std::string_view)> &visit);
/// The first element of `bytes`, as a number.
double realAt(DataType type, const char *bytes);
Result<Literal> literalOf(const Tensor &tensor);
/// Whether all elements of a tensor of a float type are equal, as in fresh parameters of zeros or ones.
Result<bool> isUniform(const Tensor &tensor);

/// std::monostate stands for kinds that no supported operator has (graphs, sparse tensors).
using Attribute = std::variant<std::monostate, int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>, std::shared_ptr<const Tensor>>;

using ValueId = int32_t;
constexpr ValueId kAbsent = -1; ///< an optional input or result that is not given

struct Node {
  std::string op, domain, name;
  std::string scope;           ///< path of the module it came from, "transformer.h.0.ln_1", if the file says
  TorchCall call;              ///< the PyTorch call that the node is part of, if the file says
  std::string detachingLine;   ///< line of the module's source that calls detach(), if the file says
  bool holdsBatchNorm = false; ///< a batch norm was folded into the node, as the file says
  std::vector<ValueId> inputs, outputs; ///< `outputs` do not end in kAbsent
  std::map<std::string, Attribute> attributes;

  bool is(std::string_view other) const { return op == other && domain.empty(); }
  /// Whether input i is given.
  bool has(size_t i) const { return i < inputs.size() && inputs[i] != kAbsent; }
  /// The attribute if it is there and of this kind.
  template <typename T> const T *attribute(const std::string &key) const {
    auto found = attributes.find(key);
    return found == attributes.end() ? nullptr : std::get_if<T>(&found->second);
  }
  int64_t integer(const std::string &key, int64_t otherwise) const {
    const int64_t *value = attribute<int64_t>(key);
    return value ? *value : otherwise;
  }
};

/// The kind of an initializer by the exporter's metadata.
enum class Mark : uint8_t {
  None,
  Parameter,
  Buffer,
  Constant,
  OfPlainNorm ///< scale or shift of a norm without parameters
};

/// An initializer that is not (yet) a literal.
struct Weight {
  Tensor tensor;
  Mark mark = Mark::None;
  bool isLost = false;   ///< not in the file: an optimiser dropped it, since it is all zeros
  bool isOfNode = false; ///< a tool that rewrites files computed it, as a Constant
  std::string splitFrom; ///< the tensor of another parameter that an exporter stored it in; empty: none
  /// The initializer that an optimiser computed it from, if its name was not made up by an exporter.
  std::string foldedFrom;
  /// True: the computation read other values, too, so that this may be a part or copies of `foldedFrom`.
  /// False: it is `foldedFrom`, perhaps transposed.
  bool isFoldedWithOthers = false;
  std::vector<std::string> foldedThrough; ///< values on the way, its own name last: "permute", "val_3"
  std::string mixedFrom;                  ///< "a and b": parameters that it was computed from, if several
};

struct Value {
  std::string name;
  DataType type = DataType::Undefined;
  Shape shape;
  std::shared_ptr<const Literal> literal; ///< its elements, if known before the run
  std::shared_ptr<const Weight> weight;   ///< of an initializer
  Node *producer = nullptr;
};

/// A dimension of an input: a size, or a name that is bound later.
using Dimension = std::variant<int64_t, std::string>;

struct Input {
  ValueId value = kAbsent;
  std::vector<Dimension> dims;
};

/// The labels of an input that count, by the first loss that reads it.
struct Counting {
  int64_t ignored = -100; ///< the label that does not count
  int64_t first = 0;      ///< the first label of an example that counts
  bool operator==(const Counting &) const = default;
};

struct Graph {
  std::string file, name; ///< for messages
  int64_t opset = 0;
  bool numbersCalls = false; ///< scopes of TorchScript's exporter: a later call of "norm" is "norm_1"
  bool hidesModules = false; ///< these scopes lack modules that are not called, as weights show
  bool isSimplified = false; ///< a tool rewrote the file, and stored equal tensors once
  std::vector<std::string> moduleParameters;           ///< all of the module, if listed
  std::map<std::string, std::string> tracedBuffers;    ///< buffers, by name in calls: "b_mask"
  std::map<std::string, std::string> tracedParameters; ///< parameters, by name in calls: "p_fc_bias"
  std::vector<Value> values;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<Input> inputs;
  std::vector<ValueId> outputs;
  std::vector<ValueId> lossOutputs; ///< outputs that the exporter marked as the loss
  ValueId countedLabels = kAbsent; ///< the input over whose labels the loss is a mean; kAbsent: over examples
  std::map<ValueId, Counting> labels; ///< labels of cross-entropies, by input

  Value &at(ValueId id) { return values[static_cast<size_t>(id)]; }
  const Value &at(ValueId id) const { return values[static_cast<size_t>(id)]; }
  ValueId add(Value value);
  /// The value of this name, or kAbsent.
  ValueId find(std::string_view name) const;
  /// The parameter of the module that an argument of a call, "%p_fc_bias", stands for; empty: none.
  std::string parameterOf(const std::string &argument) const;
  /// Whether the PyTorch call of a node was given this parameter.
  bool isGiven(const Node &node, const std::string &parameter) const;
  /// The node that makes a value, if it is of this operator; else null.
  const Node *producer(ValueId id, std::string_view op) const;
  /// The inputs of the graph and the weights, other than literals, that a value depends on.
  std::vector<ValueId> sourcesOf(ValueId value) const;
  /// Whether one of them is an input.
  bool dependsOnData(ValueId value) const;
  /// Replaces all uses of `from` by `to`, also among the outputs of the graph.
  void replaceUses(ValueId from, ValueId to);
  /// Drops nodes none of whose results reach an output.
  void removeDead();
};

} // namespace windlass::onnx
