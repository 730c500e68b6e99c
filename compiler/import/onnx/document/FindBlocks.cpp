// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/document/FindBlocks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace windlass::onnx {
namespace {

using nlohmann::json;

const std::string &textOf(const json &name) { return name.get_ref<const std::string &>(); }

/// The inputs of an operation; none for a constant.
const std::vector<json> &inputsOf(const json &op) {
  static const std::vector<json> none;
  const auto in = op.find("in");
  return in == op.end() ? none : in->get_ref<const std::vector<json> &>();
}

/// "h.3.ln_1.weight" is parameter "ln_1.weight" of layer 3 of "h".
struct LayerName {
  std::string prefix, rest;
  int64_t layer = -1;
};

/// The result of an operation: the writer's operations have one each.
const std::string &resultOf(const json &op) { return textOf(op.at("out")); }

/// Splits a name at its first number.
LayerName layerOf(const std::string &name) {
  for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const size_t begin = dot + 1, end = std::min(name.find('.', begin), name.size());
    constexpr size_t kMostDigits = 6;
    if (end > begin && end < name.size() && end - begin <= kMostDigits &&
        std::all_of(name.begin() + static_cast<long>(begin), name.begin() + static_cast<long>(end),
                    ::isdigit))
      return {name.substr(0, dot), name.substr(end + 1), std::stoll(name.substr(begin, end - begin))};
  }
  return {};
}

/// Whether two operations differ only in the names of their inputs and results.
bool areAlike(const json &a, const json &b) {
  auto others = [](const json &op) { return op.size() - op.count("in") - op.count("out"); };
  if (inputsOf(a).size() != inputsOf(b).size() || others(a) != others(b))
    return false;
  return std::ranges::all_of(a.get_ref<const json::object_t &>(), [&](const auto &item) {
    const auto same = b.find(item.first);
    return item.first == "in" || item.first == "out" || (same != b.end() && *same == item.second);
  });
}

/// Finds the operations of the layers of one prefix, and replaces them by a block and a call. The document
/// changes only if they are found.
class LayerFinder {
public:
  LayerFinder(json &document, const std::string &prefix, int64_t count)
      : document(document), params(document["params"]), prefix(prefix), count(count) {}

  bool run() {
    hoist();
    if (!measure())
      return false;
    for (begin = first; begin >= 0 && begin > first - period; --begin)
      if (fits()) {
        write();
        return true;
      }
    return false;
  }

  int64_t looked() const { return seen; }

  /// Adds a parameter of these layers.
  void add(const std::string &name) { names.emplace(name, layerOf(name)); }

private:
  const LayerName *layered(const std::string &name) const {
    const auto found = names.find(name);
    return found == names.end() ? nullptr : &found->second;
  }

  void hoist();
  bool measure();
  bool fits();
  bool matches(int64_t at, int64_t iteration);
  bool matchesInput(const std::string &here, const std::string &there, int64_t iteration);
  bool isClosed();
  void write();
  json writeBody(const json &constants) const;
  void writeOutside(const std::map<std::string, std::string> &finals, const json &call);
  int64_t end() const { return begin + count * period; }
  const json &op(int64_t at) const { return *ops[static_cast<size_t>(at)]; }

  json &document;
  json &params;
  const std::string prefix;
  const int64_t count;
  std::unordered_map<std::string, LayerName> names; ///< of the layers' parameters
  std::vector<json *> ops; ///< in the order of the search: those that depend on no layer first
  int64_t first = 0,
          period = 0; ///< first operation that reads a parameter of layer 0; distance of two layers
  int64_t begin = 0;  ///< first operation of layer 0
  std::unordered_map<std::string_view, int64_t> place; ///< number of the operation that makes a value
  std::map<std::string, std::string>
      carried;                  ///< value that layer 0 takes -> value that layer 1 takes in its place
  std::set<std::string> shared; ///< values from outside that every layer reads
  int64_t seen = 0;             ///< operations looked at, with repetitions
};

/// Orders operations: those that depend on no layer come first, since constants and masks are written at
/// their first use, in layer 0.
void LayerFinder::hoist() {
  std::unordered_set<std::string_view> inside;
  std::vector<json *> after;
  seen += std::ssize(document["ops"]);
  for (json &one : document["ops"]) {
    const bool depends = std::ranges::any_of(inputsOf(one), [&](const json &name) {
      return layered(textOf(name)) || inside.contains(textOf(name));
    });
    if (depends)
      inside.insert(resultOf(one));
    (depends ? after : ops).push_back(&one);
  }
  ops.insert(ops.end(), after.begin(), after.end());
}

/// Measures the distance of two layers. False if the distances differ.
bool LayerFinder::measure() {
  seen += std::ssize(ops);
  std::vector<int64_t> starts(static_cast<size_t>(count), -1);
  for (int64_t at = 0; at < std::ssize(ops); ++at) {
    place[resultOf(op(at))] = at;
    for (const json &name : inputsOf(op(at)))
      if (const LayerName *parts = layered(textOf(name)))
        if (int64_t &start = starts[static_cast<size_t>(parts->layer)]; start < 0)
          start = at;
  }
  first = starts[0];
  period = starts[1] - first;
  for (int64_t i = 0; i < count; ++i)
    if (starts[static_cast<size_t>(i)] != first + i * period)
      return false;
  return first >= 0 && period > 0;
}

/// Whether the input `here` of layer 0 and the input `there` at the same place of layer `iteration`
/// correspond.
bool LayerFinder::matchesInput(const std::string &here, const std::string &there, int64_t iteration) {
  if (const LayerName *mine = layered(here)) {
    const LayerName *other = layered(there);
    return other && mine->layer == 0 && other->layer == iteration && mine->rest == other->rest &&
           params[here]["shape"] == params[there]["shape"] &&
           params[here].value("group", "") == params[there].value("group", "");
  }
  const auto made = place.find(here);
  if (made != place.end() && made->second >= begin) { // within the layer
    const auto other = place.find(there);
    return other != place.end() && other->second == made->second + iteration * period;
  }
  if (here == there) {
    shared.insert(here);
    return !carried.contains(here);
  }
  const auto other = place.find(there);
  if (shared.contains(here) || other == place.end() || other->second < begin)
    return false;
  // Layer 1 reads a result of layer 0 there; later layers the same result of the layer before.
  auto [known, isNew] = carried.try_emplace(here, there);
  const int64_t made0 = place.at(known->second);
  return made0 < begin + period && other->second == made0 + (iteration - 1) * period;
}

bool LayerFinder::matches(int64_t at, int64_t iteration) {
  seen += 2;
  const json &here = op(at), &there = op(at + iteration * period);
  if (!areAlike(here, there))
    return false;
  for (size_t i = 0; i < inputsOf(here).size(); ++i)
    if (!matchesInput(textOf(inputsOf(here)[i]), textOf(inputsOf(there)[i]), iteration))
      return false;
  return true;
}

/// Whether the operations behind the layers read, of values inside the layers, only those that the last layer
/// hands on, and none of the values that the first layer takes.
bool LayerFinder::isClosed() {
  seen += std::ssize(ops) - end();
  std::set<std::string> results;
  for (const auto &[in, out] : carried)
    results.insert(resultOf(op(place.at(out) + (count - 1) * period)));
  auto mayRead = [&](const std::string &name) {
    auto made = place.find(name);
    const bool isInside = made != place.end() && made->second >= begin && made->second < end();
    return isInside ? results.contains(name) : !carried.contains(name);
  };
  for (int64_t at = end(); at < std::ssize(ops); ++at)
    for (const json &name : inputsOf(op(at)))
      if (!mayRead(textOf(name)))
        return false;
  return mayRead(textOf(document["loss"]));
}

bool LayerFinder::fits() {
  carried.clear();
  shared.clear();
  if (end() > std::ssize(ops))
    return false;
  for (int64_t iteration = 1; iteration < count; ++iteration)
    for (int64_t at = begin; at < begin + period; ++at)
      if (!matches(at, iteration))
        return false;
  const bool sharesParameter =
      std::ranges::any_of(shared, [&](const std::string &name) { return params.contains(name); });
  const bool isMixed =
      std::ranges::any_of(carried, [&](const auto &one) { return shared.contains(one.first); });
  return !carried.empty() && !sharesParameter && !isMixed && isClosed();
}

/// The operations of layer 0, with parameters under their names within a layer.
json LayerFinder::writeBody(const json &constants) const {
  json body = constants;
  for (int64_t at = begin; at < begin + period; ++at) {
    json one = op(at);
    if (one.contains("in"))
      for (json &name : one["in"])
        if (const LayerName *parts = layered(textOf(name)))
          name = parts->rest;
    body.push_back(std::move(one));
  }
  return body;
}

/// Writes all other operations, with `call` in the place of the layers. `finals`: result of the last layer ->
/// name under which it is carried.
void LayerFinder::writeOutside(const std::map<std::string, std::string> &finals, const json &call) {
  json kept = json::array();
  for (int64_t at = 0; at < std::ssize(ops); ++at) {
    if (at == begin)
      kept.push_back(call);
    if (at >= begin && at < end())
      continue;
    json one = std::move(*ops[static_cast<size_t>(at)]);
    if (one.contains("in"))
      for (json &name : one["in"])
        if (auto found = finals.find(textOf(name)); found != finals.end())
          name = found->second;
    kept.push_back(std::move(one));
  }
  document["ops"] = std::move(kept);
  if (auto found = finals.find(textOf(document["loss"])); found != finals.end())
    document["loss"] = found->second;
}

void LayerFinder::write() {
  std::vector<std::string> in, out, carry, with;
  std::map<std::string, std::string> finals;
  for (const auto &[from, to] : carried) {
    in.push_back(from);
    out.push_back(to);
    finals[resultOf(op(place.at(to) + (count - 1) * period))] = from;
  }
  carry = in;
  json constants = json::array();
  for (const std::string &name : shared)
    if (auto made = place.find(name); made != place.end() && inputsOf(op(made->second)).empty()) {
      constants.push_back(op(made->second));
    } else {
      in.push_back(name);
      with.push_back(name);
    }
  json call = {{"repeat", count},
               {"block", prefix},
               {"carry", carry},
               {"name", prefix.substr(prefix.rfind('.') + 1) + ".{i}"},
               {"prefix", prefix + ".{i}"}};
  if (!with.empty())
    call["with"] = with;
  json own = json::object();
  for (const auto &[name, parts] : names) {
    if (parts.layer == 0)
      own[parts.rest] = params[name];
    params.erase(name);
  }
  document["blocks"][prefix] = {{"in", in}, {"params", own}, {"ops", writeBody(constants)}, {"out", out}};
  writeOutside(finals, call);
}

} // namespace

int64_t findBlocks(json &document) {
  int64_t looked = 0;
  struct Layers {
    std::map<int64_t, std::set<std::string>> parameters;
    std::vector<std::string> names;
  };
  std::map<std::string, Layers> prefixes;
  for (const auto &[name, param] : document["params"].items())
    if (const LayerName parts = layerOf(name); parts.layer >= 0) {
      prefixes[parts.prefix].parameters[parts.layer].insert(parts.rest);
      prefixes[parts.prefix].names.push_back(name);
    }
  for (const auto &[prefix, layers] : prefixes) {
    const int64_t count = std::ssize(layers.parameters);
    const bool isEqual = std::ranges::all_of(layers.parameters, [&](const auto &one) {
      return one.first < count && one.second == layers.parameters.begin()->second;
    });
    if (count < 2 || !isEqual)
      continue;
    LayerFinder finder(document, prefix, count);
    for (const std::string &name : layers.names)
      finder.add(name);
    const bool isFound = finder.run();
    looked += finder.looked();
    if (isFound)
      break; // a second sequence of layers stays flat: the finder knows no repeats
  }
  return looked;
}

} // namespace windlass::onnx
