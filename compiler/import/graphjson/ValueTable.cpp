// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/graphjson/ValueTable.h"

#include "runtime/base/NearestName.h"

namespace windlass {

void ValueTable::define(JsonReader place, mlir::Value value) {
  std::string name = place.text();
  if (place.isOk() && (values.contains(name) || lazy.contains(name)))
    place.failRule("must be a new name");
  if (place.isOk())
    values[name] = value;
}

mlir::Value ValueTable::find(JsonReader place) {
  std::string name = place.text();
  if (!place.isOk())
    return {};
  if (auto found = values.find(name); found != values.end())
    return found->second;
  if (auto found = lazy.find(name); found != lazy.end())
    return values[name] = found->second();
  std::vector<std::string_view> known;
  for (const auto &[other, value] : values)
    known.push_back(other);
  for (const auto &[other, maker] : lazy)
    known.push_back(other);
  std::string_view nearest = nearestName(name, known);
  place.failRule("must be an input, a parameter or the result of an earlier operation" +
                 (nearest.empty() ? "" : " (\"" + std::string(nearest) + "\" is)"));
  return {};
}

std::vector<std::string> ValueTable::unused() const {
  std::vector<std::string> names;
  for (const auto &[name, maker] : lazy)
    if (!values.contains(name))
      names.push_back(name);
  return names;
}

} // namespace windlass
