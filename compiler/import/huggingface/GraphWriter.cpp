// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/huggingface/GraphWriter.h"

using nlohmann::json;

namespace windlass {

void GraphWriter::weight(const std::string &name, const json &shape) {
  params[name] = {{"shape", shape}, {"init", {{"normal", range}}}};
}

void GraphWriter::constant(const std::string &name, const json &shape, double value) {
  params[name] = {{"shape", shape}, {"init", value}};
}

void GraphWriter::linear(const std::string &x, const std::string &name, const std::string &rows,
                         const std::string &columns, bool bias, const std::string &out) {
  weight(name + ".weight", {rows, columns});
  std::string product = bias ? out + ".product" : out;
  op({{"op", "matmul"}, {"in", {x, name + ".weight"}}, {"trans_b", true}, {"out", product}});
  if (!bias)
    return;
  constant(name + ".bias", json::array({rows}), 0);
  add(product, name + ".bias", out);
}

void GraphWriter::embedding(const std::string &indices, const std::string &name, const std::string &rows,
                            const std::string &columns, const std::string &out,
                            std::optional<int64_t> padding) {
  weight(name + ".weight", {rows, columns});
  json lookup = {{"op", "embedding"}, {"in", {name + ".weight", indices}}, {"out", out}};
  if (padding)
    lookup["padding"] = *padding;
  op(lookup);
}

void GraphWriter::layerNorm(const std::string &x, const std::string &name, const std::string &size,
                            double epsilon, const std::string &out) {
  constant(name + ".weight", json::array({size}), 1);
  constant(name + ".bias", json::array({size}), 0);
  op({{"op", "layer_norm"}, {"in", {x, name + ".weight", name + ".bias"}}, {"eps", epsilon}, {"out", out}});
}

void GraphWriter::rmsNorm(const std::string &x, const std::string &name, const std::string &size,
                          double epsilon, const std::string &out) {
  constant(name + ".weight", json::array({size}), 1);
  op({{"op", "rms_norm"}, {"in", {x, name + ".weight"}}, {"eps", epsilon}, {"out", out}});
}

void GraphWriter::activate(const std::string &x, const json &activation, const std::string &out) {
  json operation = activation;
  operation.update({{"in", {x}}, {"out", out}});
  op(operation);
}

} // namespace windlass
