// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/file/PlanWriter.h"
#include "runtime/base/File.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/file/PlanHash.h"
#include "runtime/plan/file/Schema.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace windlass::plan {
namespace {

/// The writing archive of Schema.h: appends JSON to a string.
class JsonWriter {
public:
  template <typename T> using Of = const T;

  template <typename T> void field(std::string_view key, const T &content) {
    // The outermost record gets a line per field, every other stays on one line.
    if (!firstOfRecord)
      text += depth == 1 ? ",\n" : ",";
    firstOfRecord = false;
    value(std::string(key));
    text += ':';
    value(content);
  }
  template <typename T> void optional(std::string_view key, const T &content, const T &usual) {
    if (!(content == usual))
      field(key, content);
  }
  void signedNumber(std::string_view key, int64_t content, int64_t usual) { optional(key, content, usual); }
  template <typename T> void optionalList(std::string_view key, const std::vector<T> &list) {
    if (!list.empty())
      field(key, list);
  }
  template <typename T> void record(std::string_view key, const T &content) { field(key, content); }

  void open() {
    text += '{';
    firstOfRecord = true;
    ++depth;
  }
  void close() {
    text += '}';
    firstOfRecord = false;
    --depth;
  }

  std::string text;
  bool notFinite = false;

private:
  void value(const std::string &content) {
    text += nlohmann::json(content).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  void value(const Operand &operand) {
    text += '[';
    value(operand.buffer);
    text += ',';
    value(operand.offset);
    text += ',';
    value(operand.bytes);
    if (!operand.stride.empty()) {
      text += ',';
      value(operand.stride);
    }
    text += ']';
  }
  void value(const Wait &wait) {
    text += '[';
    value(wait.lane);
    text += ',';
    if (wait.isPrevious())
      value(wait.previous);
    else
      value(wait.ordinal);
    text += ']';
  }
  void value(const SectionRuns &runs) { value(std::pair(runs.section, runs.times)); }
  template <typename A, typename B> void value(const std::pair<A, B> &pair) {
    text += '[';
    value(pair.first);
    text += ',';
    value(pair.second);
    text += ']';
  }
  template <typename T> void value(const std::vector<T> &list) {
    // Records in a list stand on lines of their own, scalars and tuples do not.
    constexpr bool lines = std::is_class_v<T> && !std::is_same_v<T, Operand> && !std::is_same_v<T, Wait> &&
                           !std::is_same_v<T, std::pair<uint32_t, uint32_t>> &&
                           !std::is_same_v<T, SectionRuns> && !std::is_same_v<T, std::pair<Lane, double>> &&
                           !std::is_same_v<T, Figures::value_type>;
    text += '[';
    for (size_t i = 0; i < list.size(); ++i) {
      text += i ? "," : "";
      text += lines ? "\n" : "";
      value(list[i]);
    }
    text += lines && !list.empty() ? "\n]" : "]";
  }
  template <typename T> void value(const T &content) {
    if constexpr (std::is_same_v<T, bool>) {
      text += content ? "true" : "false";
    } else if constexpr (std::is_enum_v<T>) {
      value(std::string(textOf(content)));
    } else if constexpr (std::is_arithmetic_v<T>) {
      if constexpr (std::is_floating_point_v<T>)
        notFinite |= !std::isfinite(content);
      char digits[32];
      text.append(digits, std::to_chars(digits, digits + sizeof digits, content).ptr);
    } else {
      open();
      describe(*this, content);
      close();
    }
  }

  int depth = 0;
  bool firstOfRecord = true;
};

} // namespace

Result<std::string> printPlan(const Plan &plan) {
  JsonWriter writer;
  writer.open();
  writer.field("version", kPlanVersion);
  describe(writer, plan);
  if (writer.notFinite)
    return Status::internal("the plan of \"" + plan.model + "\" holds a number that is not finite");
  return withHash(std::move(writer.text));
}

Status writePlan(const Plan &plan, const std::string &folder) {
  Result<std::string> text = printPlan(plan);
  WINDLASS_TRY(text.status());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return Status::badInput(folder + ": cannot make the folder: " + error.message());
  return writeFileAtomically(folder + "/" + kPlanFile, *text);
}

} // namespace windlass::plan
