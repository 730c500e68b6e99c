// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/graph/Names.h"

#include <nlohmann/json.hpp>
#include <set>

namespace windlass::onnx {

bool isGenerated(const std::string &name) {
  if (name.find("::") != std::string::npos || name.find('/') != std::string::npos || name.empty())
    return true;
  const size_t last = name.find_last_not_of("0123456789");
  if (last == std::string::npos)
    return true;
  // "val_7", "_v_12", "const_3": a word, and a number behind an underscore.
  return last + 1 < name.size() && name[last] == '_' && name.find('.') == std::string::npos;
}

bool isBufferName(const std::string &name) {
  static const std::set<std::string> leaves = {"inv_freq",
                                               "original_inv_freq",
                                               "position_ids",
                                               "running_mean",
                                               "running_var",
                                               "token_type_ids",
                                               "masked_bias",
                                               "cos_cached",
                                               "num_batches_tracked",
                                               "sin_cached",
                                               "freqs_cos",
                                               "freqs_sin",
                                               "pe",
                                               "mask",
                                               "tril"};
  return leaves.contains(leafOfName(name));
}

std::string_view operationOf(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  return last != std::string_view::npos && last + 1 < name.size() && name[last] == '_' ? name.substr(0, last)
                                                                                       : name;
}

std::string readable(const std::string &text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string scopeOfName(const std::string &name) {
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : name.substr(0, dot);
}

std::string leafOfName(const std::string &name) {
  const size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

} // namespace windlass::onnx
