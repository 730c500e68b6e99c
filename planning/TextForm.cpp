// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/TextForm.h"

#include "runtime/base/ParseNumber.h"
#include <charconv>
#include <cmath>
#include <limits>

namespace windlass::planning {

TextLine::TextLine(std::string_view text, int64_t number) : number(number) {
  text = text.substr(0, text.find('#'));
  while (!text.empty()) {
    size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos)
      return;
    text.remove_prefix(begin);
    std::string_view part = text.substr(0, text.find_first_of(" \t\r"));
    text.remove_prefix(part.size());
    size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      words.emplace_back(part);
    else if (!values.emplace(part.substr(0, equals), part.substr(equals + 1)).second)
      fail(std::string(part.substr(0, equals)), "is given twice");
  }
}

std::string TextLine::name(size_t index) {
  if (index < words.size())
    return words[index];
  fail(words.empty() ? "line" : words.front(), "a name is missing");
  return "";
}

std::string TextLine::take(const std::string &key) {
  auto found = values.find(key);
  if (found == values.end())
    return "";
  std::string text = std::move(found->second);
  values.erase(found);
  return text;
}

int64_t TextLine::integer(const std::string &key, int64_t otherwise) {
  if (!has(key))
    return otherwise;
  std::string text = take(key);
  int64_t value = 0;
  if (!parseNumber(text, value))
    fail(key, "must be a whole number, is \"" + text + "\"");
  return value;
}

double TextLine::real(const std::string &key, double otherwise) {
  if (!has(key))
    return otherwise;
  std::string text = take(key);
  double value = 0;
  if (!parseNumber(text, value) || !std::isfinite(value))
    fail(key, "must be a number, is \"" + text + "\"");
  return value;
}

std::vector<uint32_t> TextLine::list(const std::string &key) {
  std::string text = take(key);
  std::vector<uint32_t> numbers;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    uint32_t value = 0;
    if (!parseNumber(std::string_view(text).substr(begin, end - begin), value)) {
      fail(key, "must be numbers joined by commas, is \"" + text + "\"");
      return {};
    }
    numbers.push_back(value);
    begin = end + 1;
  }
  return numbers;
}

void TextLine::fail(const std::string &place, const std::string &message) {
  if (failure.isOk())
    failure = Status::badInput("line " + std::to_string(number) + ": " + place + ": " + message);
}

Status TextLine::finish() {
  if (failure.isOk() && !values.empty())
    fail(values.begin()->first, "unknown key");
  return failure;
}

std::vector<TextLine> textLines(std::string_view text) {
  std::vector<TextLine> lines;
  int64_t number = 0;
  while (!text.empty()) {
    size_t end = text.find('\n');
    TextLine line(text.substr(0, end), ++number);
    if (!line.isEmpty())
      lines.push_back(std::move(line));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string shortest(double value) {
  char buffer[40];
  auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return std::string(buffer, end);
}

std::string joined(const std::vector<uint32_t> &numbers) {
  std::string text;
  for (uint32_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

} // namespace windlass::planning
