// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/file/PlanHash.h"
#include "runtime/base/Hash.h"

namespace windlass::plan {
namespace {

const std::string kWayOut = " (windlass-dump --rehash accepts an edited plan)";

std::string lineOf(std::string_view content) {
  return "\"" + std::string(kHashKey) + "\":\"" + hashOfBytes(content) + "\"}\n";
}

/// Where the last line begins, if it is as long and begins as the line of a hash; else npos.
size_t beginOfHash(std::string_view text) {
  const std::string any = lineOf("");
  const size_t begin = text.size() < any.size() ? 0 : text.size() - any.size();
  const std::string_view key = std::string_view(any).substr(0, any.find(':') + 2);
  const bool isOne = begin > 0 && text[begin - 1] == '\n' && text.substr(begin).starts_with(key);
  return isOne ? begin : std::string_view::npos;
}

} // namespace

std::string withHash(std::string text) {
  text += ",\n";
  return text + lineOf(text);
}

Status checkHash(std::string_view text) {
  const size_t begin = beginOfHash(text);
  if (begin == std::string_view::npos)
    return Status::badInput("the last line is not the hash of all others: the file was cut short or edited" +
                            kWayOut);
  const std::string expected = lineOf(text.substr(0, begin));
  if (text.substr(begin) != expected)
    return Status::badInput(
        "the content does not have the hash that the last line says: the file was damaged or edited" +
        kWayOut);
  return Status::ok();
}

std::string rehashed(std::string text) {
  const size_t begin = beginOfHash(text);
  if (begin == std::string::npos)
    return text;
  text.resize(begin);
  return text + lineOf(text);
}

} // namespace windlass::plan
