// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Model.h - an ONNX file as plain structs =============================//
//
// Duty: what every step of the ONNX reader works on: one flat graph in SSA form,
// nodes in an order in which they can run. A value is known by its index; what is
// known about it (type, shape, its very elements) is filled in by FoldConstants.h.
// Ownership: a Graph owns everything; Node pointers stay valid while the node lives.
// Units: shapes in elements, row-major; offsets in bytes.
// Threads: one graph, one thread.
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

/// Domain of operators that ONNX does not have and graph JSON does. No file may use it.
inline constexpr const char *kOwnDomain = "windlass";

/// A stored tensor: in memory, or a range of a file beside the model.
struct Tensor {
  DataType type = DataType::Undefined;
  Shape shape;
  std::string bytes;    ///< little-endian, row-major; empty if they stand in `file` alone
  std::string file;     ///< absolute: the file in which they stand back to back; empty: none does
  int64_t offset = 0;   ///< of their first byte in `file`
  bool varints = false; ///< `file` spells 16-bit floats as integers; they are in `bytes`, too

  int64_t byteSize() const { return elementsOf(shape) * bytesOf(type); }
};

/// Calls `visit` with the tensor's bytes, a few whole elements after the other, from memory or from the file.
Status visitBytes(const Tensor &tensor, const std::function<void(std::string_view)> &visit);
/// The first element of `bytes`, as a number.
double realAt(DataType type, const char *bytes);
Result<Literal> literalOf(const Tensor &tensor);
/// Whether a tensor of a float type is as modules make some: all zeros, all ones.
Result<bool> isUniform(const Tensor &tensor);

/// std::monostate stands for kinds that no supported operator has (graphs, sparse tensors).
using Attribute = std::variant<std::monostate, int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>, std::shared_ptr<const Tensor>>;

using ValueId = int32_t;
constexpr ValueId kAbsent = -1; ///< an optional input or result that is not given

struct Node {
  std::string op, domain, name;
  std::string scope;         ///< path of the module it came from, "transformer.h.0.ln_1", if the file says
  TorchCall call;            ///< what it spells, if the file says
  std::string detachingLine; ///< of the module's source, which calls detach() and led to it, if the file says
  bool holdsBatchNorm = false;          ///< one that the exporter folded into it, as the file says
  std::vector<ValueId> inputs, outputs; ///< the latter do not end in kAbsent
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

/// What an exporter says about an initializer.
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
  bool isLost = false;   ///< not in the file: an optimiser dropped it, for it is all zeros
  bool isOfNode = false; ///< a tool that rewrites files computed it, and holds it in a Constant
  std::string splitFrom; ///< the tensor of another parameter, in which an exporter stored it; empty: none
  /// The initializer of which an optimiser computed it, if that had a name of people's.
  std::string foldedFrom;
  /// It read more than that one: what is left may be a part of it, or copies. Else it turned it at most.
  bool isFoldedWithOthers = false;
  std::vector<std::string> foldedThrough; ///< the other values on the way, itself last: "permute", "val_3"
  std::string
      mixedFrom; ///< "a and b": parameters of the module of which it was computed, if they are several
};

struct Value {
  std::string name;
  DataType type = DataType::Undefined;
  Shape shape;
  std::shared_ptr<const Literal> literal; ///< its elements, where they are known before the run
  std::shared_ptr<const Weight> weight;   ///< of an initializer
  Node *producer = nullptr;
};

/// A dimension of an input: a size, or a name that is bound later.
using Dimension = std::variant<int64_t, std::string>;

struct Input {
  ValueId value = kAbsent;
  std::vector<Dimension> dims;
};

/// Which labels of an input count, as the first loss that reads it has it.
struct Counting {
  int64_t ignored = -100; ///< the label that counts for nothing
  int64_t first = 0;      ///< those of an example before it count for nothing
  bool operator==(const Counting &) const = default;
};

struct Graph {
  std::string file, name; ///< for messages
  int64_t opset = 0;
  bool numbersCalls = false; ///< scopes are of TorchScript's exporter: a later call of "norm" is "norm_1"
  bool hidesModules = false; ///< those scopes lack modules that are not called, as names of weights show
  bool isSimplified = false; ///< a tool rewrote the file, which stores equal tensors once
  std::vector<std::string> moduleParameters; ///< all that the module has, where the exporter lists them
  std::map<std::string, std::string> tracedBuffers;    ///< beside them, by their names in calls: "b_mask"
  std::map<std::string, std::string> tracedParameters; ///< these, by their names in calls: "p_fc_bias"
  std::vector<Value> values;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<Input> inputs;
  std::vector<ValueId> outputs;
  std::vector<ValueId> lossOutputs; ///< those the exporter marked as the loss
  ValueId countedLabels = kAbsent; ///< the input over whose labels the loss is a mean; kAbsent: over examples
  std::map<ValueId, Counting> labels; ///< what a cross-entropy reads, by the input that holds it

  Value &at(ValueId id) { return values[static_cast<size_t>(id)]; }
  const Value &at(ValueId id) const { return values[static_cast<size_t>(id)]; }
  ValueId add(Value value);
  /// The value of this name, or kAbsent.
  ValueId find(std::string_view name) const;
  /// The parameter of the module that an argument of a call stands for, "%p_fc_bias"; empty: none.
  std::string parameterOf(const std::string &argument) const;
  /// Whether the call that a node was written for was given this very parameter.
  bool isGiven(const Node &node, const std::string &parameter) const;
  /// The node that makes a value, if it is one of this operator.
  const Node *producer(ValueId id, std::string_view op) const;
  /// Every use of `from` becomes one of `to`, outputs of the graph included.
  void replaceUses(ValueId from, ValueId to);
  /// Drops nodes none of whose results reach an output.
  void removeDead();
};

} // namespace windlass::onnx
