// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/operators/Attributes.h"

#include <array>
#include <set>

namespace windlass::onnx {
namespace {

/// The kinds of Attribute, in its order.
enum Kind : size_t { Other, Integer, Real, Text, Integers, Reals, OneTensor };

constexpr std::array<const char *, std::variant_size_v<Attribute>> kWords = {
    "of another kind",    "an integer",       "a float", "a string",
    "a list of integers", "a list of floats", "a tensor"};

struct Names {
  Kind kind;
  std::set<std::string_view> names;
};

const std::array<Names, 6> &allNames() {
  static const std::array<Names, 6> all = {{
      {Integer,
       {"allowzero",
        "antialias",
        "axis",
        "batch_dims",
        "ceil_mode",
        "count_include_pad",
        "end",
        "exclude_outside",
        "exclusive",
        "fmod",
        "group",
        "ignore_index",
        "interleaved",
        "is_causal",
        "keepdims",
        "kv_num_heads",
        "noop_with_empty_axes",
        "num_groups",
        "num_heads",
        "num_outputs",
        "q_num_heads",
        "reverse",
        "rotary_embedding_dim",
        "start",
        "to",
        "training_mode",
        "transA",
        "transB",
        "upper",
        "value_int"}},
      {Real,
       {"alpha", "beta", "cubic_coeff_a", "epsilon", "gamma", "high", "low", "momentum", "scale", "softcap",
        "value_float"}},
      {Text,
       {"approximate", "auto_pad", "coordinate_transformation_mode", "keep_aspect_ratio_policy", "mode",
        "nearest_mode", "reduction"}},
      {Integers,
       {"axes", "dilations", "ends", "kernel_shape", "output_padding", "output_shape", "pads", "perm",
        "repeats", "shape", "split", "starts", "steps", "strides", "value_ints"}},
      {Reals, {"value_floats"}},
      {OneTensor, {"value"}},
  }};
  return all;
}

} // namespace

Status checkAttributes(const Node &node) {
  for (const auto &[name, attribute] : node.attributes)
    for (const Names &known : allNames())
      if (known.names.contains(name) && attribute.index() != known.kind)
        return Status::badInput("attribute \"" + name + "\" must be " + kWords[known.kind] + ", is " +
                                kWords[attribute.index()]);
  return Status::ok();
}

} // namespace windlass::onnx
