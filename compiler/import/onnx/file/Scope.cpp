// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/file/Scope.h"

#include "compiler/import/onnx/file/Onnx.pb.h"
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

std::string scopeOfCalls(const std::string &name, const std::function<bool(const std::string &)> &isModule) {
  std::string scope, last;
  for (size_t at = 1, end; !name.empty() && (end = name.find('/', at)) != std::string::npos; at = end + 1) {
    const std::string word = name.substr(at, end - at);
    const std::string whole = scope.empty() ? word : scope + "." + word;
    const bool isRepeated = !last.empty() && word.starts_with(last + ".") && !isModule(whole);
    scope = isRepeated ? scope.substr(0, scope.size() - last.size()) + word : whole;
    last = word;
  }
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

namespace {

/// The metadata that the newer exporter writes on a node; null without any.
const wire::Entry *listOf(const wire::Node &node) {
  auto found = std::ranges::find(node.metadata_props(), "pkg.torch.onnx.name_scopes", &wire::Entry::key);
  return found == node.metadata_props().end() ? nullptr : &*found;
}

std::string_view firstWord(std::string_view path) { return path.substr(0, path.find('.')); }

/// "norm_12" of "norm".
bool isNumbered(std::string_view word, std::string_view of) {
  return word.starts_with(of) && word.size() > of.size() + 1 && word[of.size()] == '_' &&
         word.find_first_not_of("0123456789", of.size() + 1) == std::string_view::npos;
}

} // namespace

std::string scopeOf(const wire::Node &node) {
  const wire::Entry *list = listOf(node);
  return list ? scopeOfList(list->value()) : scopeOfPath(node.name());
}

bool hasPath(const wire::Node &node) { return !listOf(node) && !scopeOfPath(node.name()).empty(); }

bool isWithin(std::string_view module, std::string_view scope) {
  auto dropWord = [](std::string_view &path) {
    path.remove_prefix(std::min(path.size(), firstWord(path).size() + 1));
  };
  for (; !module.empty(); dropWord(module))
    if (firstWord(module) == firstWord(scope))
      dropWord(scope);
  return scope.empty();
}

bool isLaterCall(const std::string &path, const std::string &module) {
  std::string_view left = path, of = module;
  bool isLater = false;
  while (!left.empty() && !of.empty()) {
    const std::string_view word = firstWord(left), ofWord = firstWord(of);
    if (word != ofWord && !isNumbered(word, ofWord))
      return false;
    isLater |= word != ofWord;
    left.remove_prefix(std::min(left.size(), word.size() + 1));
    of.remove_prefix(std::min(of.size(), ofWord.size() + 1));
  }
  return isLater && left.empty() && of.empty();
}

} // namespace windlass::onnx
