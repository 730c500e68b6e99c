// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/operators/Writer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace windlass::onnx {
namespace {

/// The elements as nested lists, or as a number.
nlohmann::json elements(const Literal &literal, size_t dim, int64_t &at) {
  if (dim == literal.shape.size()) {
    const int64_t i = at++;
    return literal.isFloat() ? nlohmann::json(literal.real(i))
                             : nlohmann::json(literal.integers[static_cast<size_t>(i)]);
  }
  nlohmann::json list = nlohmann::json::array();
  for (int64_t i = 0; i < literal.shape[dim]; ++i)
    list.push_back(elements(literal, dim + 1, at));
  return list;
}

/// The literal with finite numbers, since JSON has no infinities; in masks, numbers below -1e30 hide as well.
Literal finite(Literal literal) {
  for (double &value : literal.reals)
    if (std::isinf(value))
      value = value < 0 ? std::numeric_limits<float>::lowest() : std::numeric_limits<float>::max();
  return literal;
}

nlohmann::json constant(const Literal &literal) {
  int64_t at = 0;
  const Literal written = finite(literal);
  nlohmann::json value;
  if (written.isUniform() && written.size() > 0)
    value = elements(written, written.shape.size(), at);
  else
    value = elements(written, 0, at);
  return {{"op", "constant"},
          {"value", value},
          {"type", literal.isFloat() ? "f32" : "i32"},
          {"shape", literal.shape}};
}

/// Whether an operation draws a mask, so that two equal operations have different results.
bool isRandom(const nlohmann::json &op) { return op.at("op") == "dropout" || op.contains("dropout"); }

} // namespace

std::string Writer::fresh(const std::string &wish) {
  std::string name = wish.empty() ? "value" : wish;
  for (int64_t &count = taken[name]; count++ > 0;) {
    const std::string variant = name + "#" + std::to_string(count);
    if (!taken.contains(variant)) {
      taken[variant] = 1;
      return variant;
    }
  }
  return name;
}

void Writer::declare(ValueId id, const std::string &name, Shape shape) {
  taken[name] = 1;
  hold(id, name, std::move(shape));
}

void Writer::hold(ValueId id, const std::string &name, Shape shape) {
  values[id] = {name, shape.empty() ? Shape{1} : std::move(shape)};
  if (const Shape made = values[id].shape; made.size() > 2 && made.back() > 0 && asRows.contains(id)) {
    const Shape rows = {elementsOf(made) / made.back(), made.back()};
    values[id] = {as(id, rows), rows};
  }
}

const Writer::Held &Writer::find(ValueId id) {
  auto found = values.find(id);
  if (found != values.end())
    return found->second;
  Literal literal = *graph.at(id).literal;
  if (literal.shape.empty())
    literal.shape = {1};
  define(id, constant(literal), literal.shape);
  return values.at(id);
}

std::string Writer::as(ValueId id, const Shape &wished) {
  const Held &value = find(id);
  const Shape shape = wished.empty() ? Shape{1} : wished;
  return value.shape == shape
             ? value.name
             : append({{"op", "reshape"}, {"in", {value.name}}, {"shape", shape}}, value.name);
}

std::string Writer::matrix(ValueId id, int64_t columns) {
  return as(id, {elementsOf(graph.at(id).shape) / columns, columns});
}

Shape Writer::held(ValueId id) const {
  auto found = values.find(id);
  return found == values.end() ? graph.at(id).shape : found->second.shape;
}

void Writer::define(ValueId id, nlohmann::json op, Shape shape) {
  const std::string &own = graph.at(id).name;
  const std::string wish = own.empty() ? op.at("op").get<std::string>() : own;
  const std::string name = append(std::move(op), wish);
  hold(id, name, std::move(shape));
}

std::string Writer::intermediate(nlohmann::json op) {
  const std::string name = op.at("op");
  return append(std::move(op), name);
}

std::string Writer::append(nlohmann::json op, const std::string &wish) {
  if (isRandom(op))
    return write(std::move(op), wish);
  auto [known, isNew] = written.try_emplace(op.dump());
  if (isNew)
    known->second = write(std::move(op), wish);
  return known->second;
}

std::string Writer::write(nlohmann::json op, const std::string &wish) {
  const std::string name = fresh(wish);
  op["out"] = name;
  ops.push_back(std::move(op));
  return name;
}

nlohmann::json Writer::takeOps(const std::string &result) {
  std::set<std::string> needed = {result};
  nlohmann::json kept = nlohmann::json::array();
  for (size_t i = ops.size(); i-- > 0;) {
    if (!needed.contains(ops[i].at("out")))
      continue;
    for (const auto &name : ops[i].value("in", nlohmann::json::array()))
      needed.insert(name);
    kept.push_back(std::move(ops[i]));
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

void Writer::alias(ValueId id, ValueId of) {
  const Held held = find(of);
  values[id] = held;
}

} // namespace windlass::onnx
