#include "compiler/import/onnx/Scope.h"

#include "compiler/import/onnx/Onnx.pb.h"
#include <algorithm>

namespace windlass::onnx {

std::string scopeOfPath(const std::string &name) {
  const size_t end = name.rfind('/');
  if (name.empty() || name[0] != '/' || end == 0)
    return {};
  std::string scope = name.substr(1, end - 1);
  std::ranges::replace(scope, '/', '.');
  return scope;
}

std::vector<std::string> quotedItems(const std::string &list) {
  std::vector<std::string> items;
  for (size_t at = list.find('\''); at != std::string::npos;) {
    const size_t end = list.find('\'', at + 1);
    if (end == std::string::npos)
      break;
    items.push_back(list.substr(at + 1, end - at - 1));
    at = list.find('\'', end + 1);
  }
  return items;
}

std::string scopeOfList(const std::string &list) {
  const std::vector<std::string> items = quotedItems(list);
  return items.size() < 2 ? "" : items[items.size() - 2];
}

std::string scopeOf(const wire::Node &node) {
  for (const wire::Entry &entry : node.metadata_props())
    if (entry.key() == "pkg.torch.onnx.name_scopes")
      return scopeOfList(entry.value());
  return scopeOfPath(node.name());
}

} // namespace windlass::onnx
