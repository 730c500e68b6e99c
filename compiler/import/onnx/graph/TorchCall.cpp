// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/graph/TorchCall.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

/// The text between two marks; empty if one is missing.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const size_t found = text.find(before);
  if (found == std::string_view::npos)
    return {};
  const size_t begin = found + before.size(), end = text.find(after, begin);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin);
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// The items of a list, which may be lists themselves.
std::vector<std::string> itemsOf(std::string_view list) {
  std::vector<std::string> items;
  size_t begin = 0;
  int depth = 0;
  for (size_t at = 0; at <= list.size(); ++at) {
    const char letter = at < list.size() ? list[at] : ',';
    depth += letter == '[' || letter == '(' ? 1 : letter == ']' || letter == ')' ? -1 : 0;
    if (letter != ',' || depth != 0)
      continue;
    if (const std::string_view item = trimmed(list.substr(begin, at - begin)); !item.empty())
      items.emplace_back(item);
    begin = at + 1;
  }
  return items;
}

} // namespace

std::vector<std::string> TorchCall::tensors() const {
  std::vector<std::string> names;
  for (const auto *list : {&arguments, &keywords})
    for (const std::string &item : *list)
      for (size_t at = item.find('%'); at != std::string::npos; at = item.find('%', at + 1))
        names.push_back(item.substr(at + 1, item.find_first_of(",]) ", at) - at - 1));
  return names;
}

bool TorchCall::gives(size_t place, const std::string &keyword) const {
  const std::string key = keyword + ": ";
  return (place < arguments.size() && arguments[place] != "None") ||
         std::ranges::any_of(keywords, [&](const std::string &given) {
           return given.starts_with(key) && given != key + "None";
         });
}

std::string lineCalling(const std::string &trace, std::string_view call) {
  const size_t at = trace.find(call);
  if (at == std::string::npos)
    return {};
  const size_t begin = trace.rfind('\n', at) + 1; // npos + 1 is the first letter
  return std::string(trimmed(std::string_view(trace).substr(begin, trace.find('\n', at) - begin)));
}

TorchCall torchCallOf(std::string_view line) {
  const std::string_view operation = between(line, "call_function[target=torch.ops.", "]");
  if (operation.empty())
    return {};
  return {std::string(operation), std::string(between(line, "%", " ")),
          itemsOf(between(line, "(args = (", "), kwargs = ")), itemsOf(between(line, "), kwargs = {", "})"))};
}

} // namespace windlass::onnx
