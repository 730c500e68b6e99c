#include "compiler/import/onnx/FindBlocks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace windlass::onnx {
namespace {

using nlohmann::json;

/// Constants have no inputs.
std::vector<std::string> inputsOf(const json &op) { return op.value("in", std::vector<std::string>()); }

/// "h.3.ln_1.weight" is parameter "ln_1.weight" of layer 3 of "h".
struct LayerName {
  std::string prefix, rest;
  int64_t layer = -1;
};

/// The writer's operations have one result each.
std::string resultOf(const json &op) { return op.at("out").get<std::string>(); }

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

/// Layers of one prefix, and the operations that they are.
class LayerFinder {
public:
  LayerFinder(json &document, const std::string &prefix, int64_t count)
      : document(document), ops(document["ops"]), prefix(prefix), count(count) {}

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

private:
  bool isLayers(const std::string &name) const {
    return document["params"].contains(name) && layerOf(name).prefix == prefix;
  }

  void hoist();
  bool measure();
  bool fits();
  bool matches(int64_t at, int64_t iteration);
  bool matchesInput(const std::string &here, const std::string &there, int64_t iteration);
  bool isClosed() const;
  void write();
  int64_t end() const { return begin + count * period; }
  const json &op(int64_t at) const { return ops[static_cast<size_t>(at)]; }

  json &document;
  json &ops;
  const std::string prefix;
  const int64_t count;
  int64_t first = 0,
          period = 0; ///< the first operation that reads a layer's parameter, and from layer to layer
  int64_t begin = 0;  ///< of layer 0
  std::map<std::string, int64_t> place;       ///< of the operation that makes a value
  std::map<std::string, std::string> carried; ///< what layer 0 reads from outside: what layer 1 reads there
  std::set<std::string> shared;               ///< what every layer reads from outside
};

/// What depends on no layer comes first: constants and masks are written at their first use, in layer 0.
void LayerFinder::hoist() {
  std::set<std::string> inside;
  std::vector<json> before, after;
  for (json &one : ops) {
    bool depends = false;
    for (const std::string &name : inputsOf(one))
      depends |= isLayers(name) || inside.contains(name);
    if (depends)
      inside.insert(resultOf(one));
    (depends ? after : before).push_back(std::move(one));
  }
  ops = json(before);
  for (json &one : after)
    ops.push_back(std::move(one));
}

/// Layers must begin at equal distances.
bool LayerFinder::measure() {
  std::vector<int64_t> starts(static_cast<size_t>(count), -1);
  for (int64_t at = 0; at < std::ssize(ops); ++at) {
    place[resultOf(op(at))] = at;
    for (const std::string &name : inputsOf(op(at)))
      if (isLayers(name))
        if (int64_t &start = starts[static_cast<size_t>(layerOf(name).layer)]; start < 0)
          start = at;
  }
  first = starts[0];
  period = starts[1] - first;
  for (int64_t i = 0; i < count; ++i)
    if (starts[static_cast<size_t>(i)] != first + i * period)
      return false;
  return first >= 0 && period > 0;
}

/// Whether what layer 0 reads at some place, and what layer `iteration` reads there, correspond.
bool LayerFinder::matchesInput(const std::string &here, const std::string &there, int64_t iteration) {
  if (isLayers(here))
    return isLayers(there) && layerOf(here).layer == 0 && layerOf(there).layer == iteration &&
           layerOf(here).rest == layerOf(there).rest &&
           document["params"][here]["shape"] == document["params"][there]["shape"] &&
           document["params"][here].value("group", "") == document["params"][there].value("group", "");
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
  json here = op(at), there = op(at + iteration * period);
  const std::vector<std::string> ofHere = inputsOf(here), ofThere = inputsOf(there);
  if (ofHere.size() != ofThere.size())
    return false;
  for (const char *key : {"in", "out"}) {
    here.erase(key);
    there.erase(key);
  }
  for (size_t i = 0; i < ofHere.size(); ++i)
    if (!matchesInput(ofHere[i], ofThere[i], iteration))
      return false;
  return here == there;
}

/// Behind the layers, only what the last one carries may be read; nothing there may read what went in.
bool LayerFinder::isClosed() const {
  std::set<std::string> results;
  for (const auto &[in, out] : carried)
    results.insert(resultOf(op(place.at(out) + (count - 1) * period)));
  auto mayRead = [&](const std::string &name) {
    auto made = place.find(name);
    const bool isInside = made != place.end() && made->second >= begin && made->second < end();
    return isInside ? results.contains(name) : !carried.contains(name);
  };
  for (int64_t at = end(); at < std::ssize(ops); ++at)
    for (const std::string &name : inputsOf(op(at)))
      if (!mayRead(name))
        return false;
  return mayRead(document["loss"]);
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
      std::ranges::any_of(shared, [&](const std::string &name) { return document["params"].contains(name); });
  const bool isMixed =
      std::ranges::any_of(carried, [&](const auto &one) { return shared.contains(one.first); });
  return !carried.empty() && !sharesParameter && !isMixed && isClosed();
}

void LayerFinder::write() {
  std::vector<std::string> in, out, carry, with;
  std::map<std::string, std::string> finals; ///< results of the last layer, by what they are carried as
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
  json params = json::object(), body = constants, kept = json::array();
  for (const auto &[name, param] : document["params"].items())
    if (isLayers(name) && layerOf(name).layer == 0)
      params[layerOf(name).rest] = param;
  for (int64_t at = begin; at < begin + period; ++at) {
    json one = op(at);
    if (one.contains("in"))
      for (json &name : one["in"])
        if (isLayers(name))
          name = layerOf(name).rest;
    body.push_back(one);
  }
  for (int64_t at = 0; at < std::ssize(ops); ++at) {
    if (at == begin) {
      kept.push_back({{"repeat", count},
                      {"block", prefix},
                      {"carry", carry},
                      {"name", prefix.substr(prefix.rfind('.') + 1) + ".{i}"},
                      {"prefix", prefix + ".{i}"}});
      if (!with.empty())
        kept.back()["with"] = with;
    }
    if (at >= begin && at < end())
      continue;
    json one = op(at);
    if (one.contains("in"))
      for (json &name : one["in"])
        if (auto found = finals.find(name); found != finals.end())
          name = found->second;
    kept.push_back(one);
  }
  for (json::iterator it = document["params"].begin(); it != document["params"].end();)
    it = isLayers(it.key()) ? document["params"].erase(it) : std::next(it);
  if (auto found = finals.find(document["loss"]); found != finals.end())
    document["loss"] = found->second;
  document["blocks"][prefix] = {{"in", in}, {"params", params}, {"ops", body}, {"out", out}};
  document["ops"] = kept;
}

} // namespace

void findBlocks(json &document) {
  std::map<std::string, std::map<int64_t, std::set<std::string>>> prefixes;
  for (const auto &[name, param] : document["params"].items())
    if (const LayerName parts = layerOf(name); parts.layer >= 0)
      prefixes[parts.prefix][parts.layer].insert(parts.rest);
  for (const auto &[prefix, layers] : prefixes) {
    const int64_t count = std::ssize(layers);
    const bool isEqual = std::ranges::all_of(
        layers, [&](const auto &one) { return one.first < count && one.second == layers.begin()->second; });
    json found = document;
    if (count > 1 && isEqual && LayerFinder(found, prefix, count).run())
      document = std::move(found);
  }
}

} // namespace windlass::onnx
