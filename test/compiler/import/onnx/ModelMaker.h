// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelMaker.h - ONNX files, made by hand for tests =====================//
//
// Duty: builds an ONNX model of a few nodes in a few lines. Tests change a part of the model and read its
// bytes.
// Threads: one per maker.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/DescribeOnnx.h"
#include "compiler/import/onnx/file/Onnx.pb.h"
#include "compiler/import/onnx/file/Reader.h"
#include "test/runtime/training/TemporaryFolder.h"
#include <cstring>
#include <gtest/gtest.h>

namespace windlass::test {

class ModelMaker {
public:
  explicit ModelMaker(int64_t opset = 17) {
    model.set_ir_version(8);
    model.add_opset_import()->set_version(opset);
    model.mutable_graph()->set_name("made");
  }

  onnx::wire::Graph &graph() { return *model.mutable_graph(); }

  /// A negative extent stands for an open dimension called "batch".
  onnx::wire::Type::Tensor &input(const std::string &name, const std::vector<int64_t> &shape,
                                  onnx::DataType type = onnx::DataType::Float) {
    onnx::wire::Value *value = graph().add_input();
    value->set_name(name);
    onnx::wire::Type::Tensor *tensor = value->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(static_cast<int>(type));
    tensor->mutable_shape();
    for (int64_t extent : shape) {
      auto *dim = tensor->mutable_shape()->add_dim();
      if (extent < 0)
        dim->set_dim_param("batch");
      else
        dim->set_dim_value(extent);
    }
    return *tensor;
  }

  onnx::wire::Tensor &weight(const std::string &name, const std::vector<int64_t> &shape,
                             const std::vector<float> &values) {
    onnx::wire::Tensor *tensor = graph().add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(static_cast<int>(onnx::DataType::Float));
    for (int64_t extent : shape)
      tensor->add_dims(extent);
    std::string bytes(values.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    tensor->set_raw_data(bytes);
    return *tensor;
  }

  /// An initializer of 64-bit integers.
  onnx::wire::Tensor &integers(const std::string &name, const std::vector<int64_t> &shape,
                               const std::vector<int64_t> &values) {
    onnx::wire::Tensor &tensor = weight(name, shape, {});
    tensor.set_data_type(static_cast<int>(onnx::DataType::Int64));
    tensor.clear_raw_data();
    for (int64_t value : values)
      tensor.add_int64_data(value);
    return tensor;
  }

  onnx::wire::Node &node(const std::string &op, const std::vector<std::string> &inputs,
                         const std::string &output, const std::string &name = {}) {
    onnx::wire::Node *node = graph().add_node();
    node->set_op_type(op);
    node->set_name(name.empty() ? "/" + output : name);
    for (const std::string &input : inputs)
      node->add_input(input);
    node->add_output(output);
    return *node;
  }

  void output(const std::string &name) { graph().add_output()->set_name(name); }

  /// Adds the output "loss", a single number: `reduction` ("ReduceMean" or "ReduceSum") of all elements of a
  /// value.
  void loss(const std::string &reduction, const std::string &of) {
    onnx::wire::Attribute *keep = node(reduction, {of}, "loss").add_attribute();
    keep->set_name("keepdims");
    keep->set_type(2); // an integer
    keep->set_i(0);
    output("loss");
  }

  std::string bytes() const { return model.SerializeAsString(); }

  /// The error of reading the model; empty if it can be read.
  std::string readError(const std::string &path = "made.onnx") const {
    Result<onnx::Graph> read = onnx::parseOnnx(bytes(), path);
    return read ? "" : read.status().message();
  }

  onnx::wire::Model model;
};

inline onnx::wire::Attribute &addAttribute(onnx::wire::Node &node, const std::string &name, int type) {
  onnx::wire::Attribute &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

inline void setAttribute(onnx::wire::Node &node, const std::string &name, int64_t value) {
  addAttribute(node, name, 2).set_i(value);
}

inline void setAttribute(onnx::wire::Node &node, const std::string &name, const std::string &value) {
  addAttribute(node, name, 3).set_s(value);
}

inline void setAttribute(onnx::wire::Node &node, const std::string &name,
                         const std::vector<int64_t> &values) {
  onnx::wire::Attribute &attribute = addAttribute(node, name, 7);
  for (int64_t value : values)
    attribute.add_ints(value);
}

/// Adds a key and its value to the metadata of a model, value or node.
inline void addEntry(auto *metadata, const std::string &key, const std::string &value) {
  onnx::wire::Entry *entry = metadata->Add();
  entry->set_key(key);
  entry->set_value(value);
}

/// Describes the import of the model, with four examples in a micro-batch.
inline Result<OnnxDescription> describeModel(const ModelMaker &maker, const OnnxOptions &options = {}) {
  TemporaryFolder folder;
  TrainingOptions training;
  training.microBatch = 4;
  return describeOnnx(folder.write("made.onnx", maker.bytes()), training, options);
}

/// x -> Gemm -> loss: mean((x w + b - y)^2) over 2 inputs and 3 outputs.
inline ModelMaker linearModel() {
  ModelMaker maker;
  maker.input("x", {-1, 2});
  maker.input("y", {-1, 3});
  maker.weight("fc.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  maker.weight("fc.bias", {3}, {1, 2, 3});
  maker.node("Gemm", {"x", "fc.weight", "fc.bias"}, "prediction", "/fc/Gemm");
  maker.node("Sub", {"prediction", "y"}, "difference");
  maker.node("Mul", {"difference", "difference"}, "square");
  maker.loss("ReduceMean", "square");
  return maker;
}

} // namespace windlass::test
