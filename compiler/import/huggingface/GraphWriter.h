// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- GraphWriter.h - operations and parameters of a graph JSON =============//
//
// Duty: writes operations and parameters of a graph JSON, for the descriptions of all families: linear layers
// as transformers stores them ([out, in] and a bias), norms, embeddings. Threads: one writer, one thread.
// Errors: none; the reader of the document checks it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace windlass {

/// One list of operations with the parameters they use: a block, or the model around its blocks.
class GraphWriter {
public:
  /// Weights start from N(0, range).
  explicit GraphWriter(double range) : range(range) {}

  void op(const nlohmann::json &operation) { ops.push_back(operation); }
  void add(const std::string &x, const std::string &y, const std::string &out) {
    op({{"op", "add"}, {"in", {x, y}}, {"out", out}});
  }
  void reshape(const std::string &x, const nlohmann::json &shape, const std::string &out) {
    op({{"op", "reshape"}, {"in", {x}}, {"shape", shape}, {"out", out}});
  }

  /// Adds a parameter: weight() of random numbers, constant() of one number.
  void weight(const std::string &name, const nlohmann::json &shape);
  void constant(const std::string &name, const nlohmann::json &shape, double value);

  /// x times NAME.weight ([rows, columns]) transposed, plus NAME.bias.
  void linear(const std::string &x, const std::string &name, const std::string &rows,
              const std::string &columns, bool bias, const std::string &out);
  /// Rows of NAME.weight ([rows, columns]); the row `padding` gets no gradient from it.
  void embedding(const std::string &indices, const std::string &name, const std::string &rows,
                 const std::string &columns, const std::string &out,
                 std::optional<int64_t> padding = std::nullopt);
  void layerNorm(const std::string &x, const std::string &name, const std::string &size, double epsilon,
                 const std::string &out);
  void rmsNorm(const std::string &x, const std::string &name, const std::string &size, double epsilon,
               const std::string &out);
  void dropout(const std::string &x, double rate, const std::string &out) {
    op({{"op", "dropout"}, {"in", {x}}, {"rate", rate}, {"out", out}});
  }
  void activate(const std::string &x, const nlohmann::json &activation, const std::string &out);

  /// The operations and parameters as a block of "blocks".
  nlohmann::json block(const nlohmann::json &in, const nlohmann::json &out) const {
    return {{"in", in}, {"params", params}, {"ops", ops}, {"out", out}};
  }

  nlohmann::json params = nlohmann::json::object(), ops = nlohmann::json::array();

private:
  double range;
};

} // namespace windlass
