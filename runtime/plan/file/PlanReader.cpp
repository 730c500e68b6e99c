// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/file/PlanReader.h"
#include "runtime/base/File.h"
#include "runtime/base/JsonReader.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/WellFormed.h"
#include "runtime/plan/file/PlanHash.h"
#include "runtime/plan/file/PlanWriter.h"
#include "runtime/plan/file/Schema.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <type_traits>

namespace windlass::plan {
namespace {

constexpr int kDeepest = 16; ///< values of a plan nest

/// The reading archive of Schema.h: the fields of one JSON record.
class RecordReader {
public:
  template <typename T> using Of = T;

  explicit RecordReader(JsonReader &record) : from(record) {}

  template <typename T> void field(std::string_view key, T &content);
  template <typename T> void optional(std::string_view key, T &content, const T &usual);
  void signedNumber(std::string_view key, int64_t &content, int64_t usual) {
    std::optional<JsonReader> found = from.find(key);
    content = found ? found->integer(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max())
                    : usual;
  }
  template <typename T> void optionalList(std::string_view key, std::vector<T> &list) {
    optional<std::vector<T>>(key, list, {});
  }
  template <typename T> void record(std::string_view key, T &content) { field(key, content); }

private:
  JsonReader &from;
};

void read(JsonReader json, bool &content) { content = json.boolean(); }
void read(JsonReader json, double &content) {
  content = json.number(std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max());
}
void read(JsonReader json, std::string &content) { content = json.text(); }
void read(JsonReader json, uint64_t &content) { content = json.unsignedInteger(); }
void read(JsonReader json, int64_t &content) { content = json.integer(0, kLargest); }
void read(JsonReader json, int32_t &content) {
  content = static_cast<int32_t>(json.integer(0, std::numeric_limits<int32_t>::max()));
}
void read(JsonReader json, uint32_t &content) {
  content = static_cast<uint32_t>(json.integer(0, std::numeric_limits<uint32_t>::max()));
}
template <typename T> void read(JsonReader json, std::vector<T> &list);

/// [buffer, offset, bytes] or [buffer, offset, bytes, [stride per mesh axis]]
void read(JsonReader json, Operand &operand) {
  size_t parts = json.size();
  if (parts != 3 && parts != 4)
    return json.fail("must be [buffer, offset, bytes] or [buffer, offset, bytes, [strides]]");
  read(json.at(0), operand.buffer);
  read(json.at(1), operand.offset);
  read(json.at(2), operand.bytes);
  if (parts == 4)
    read(json.at(3), operand.stride);
}

template <typename T> void read(JsonReader json, T &content) {
  if constexpr (std::is_enum_v<T>) {
    content = static_cast<T>(json.choice(wordsOf<T>()));
  } else {
    RecordReader reader(json);
    describe(reader, content);
    json.finish();
  }
}

template <typename A, typename B> void read(JsonReader json, std::pair<A, B> &pair) {
  if (json.size() != 2)
    return json.fail("must be a list of two");
  read(json.at(0), pair.first);
  read(json.at(1), pair.second);
}

/// [section, times]
void read(JsonReader json, SectionRuns &runs) {
  if (json.size() != 2)
    return json.fail("must be [section, times]");
  read(json.at(0), runs.section);
  read(json.at(1), runs.times);
}

/// [lane, ordinal] or [lane, [[section, ordinal], ...]]
void read(JsonReader json, Wait &wait) {
  if (json.size() != 2)
    return json.fail("must be [lane, ordinal] or [lane, [[section, ordinal], ...]]");
  read(json.at(0), wait.lane);
  JsonReader ordinals = json.at(1);
  if (!ordinals.isList())
    return read(ordinals, wait.ordinal);
  read(ordinals, wait.previous);
  if (wait.previous.empty())
    ordinals.fail("must name at least one section");
}

template <typename T> void RecordReader::field(std::string_view key, T &content) {
  read(from.at(key), content);
}

template <typename T> void RecordReader::optional(std::string_view key, T &content, const T &usual) {
  if (std::optional<JsonReader> found = from.find(key))
    read(std::move(*found), content);
  else
    content = usual;
}

template <typename T> void read(JsonReader json, std::vector<T> &list) {
  list.resize(json.size());
  for (size_t i = 0; i < list.size(); ++i)
    read(json.at(i), list[i]);
}

} // namespace

Result<Plan> parsePlan(const std::string &text, const std::string &file, HashRule rule) {
  Result<nlohmann::json> json = JsonReader::parse(text, file, kDeepest);
  WINDLASS_TRY(json.status());
  Status failure;
  JsonReader root(*json, file, failure);
  const int64_t version = root.at("version").integer(0, kLargest);
  WINDLASS_TRY(failure);
  if (version != kPlanVersion)
    return Status::badInput(file + ": plan version " + std::to_string(version) + ", this windlass reads " +
                            std::to_string(kPlanVersion) +
                            (version < kPlanVersion ? "; compile the plan again" : "; a newer one made it"));
  if (rule == HashRule::Required)
    WINDLASS_TRY(checkHash(text).in(file));
  Plan plan;
  RecordReader reader(root);
  describe(reader, plan);
  root.allow(kHashKey);
  root.finish();
  WINDLASS_TRY(failure);
  WINDLASS_TRY(checkWellFormed(plan).in(file));
  return plan;
}

namespace {

namespace fs = std::filesystem;

/// Behind the message for a path without a plan: the folder of a plan.json that was named, or a plan inside
/// of a folder.
std::string whatWasMeant(const fs::path &path) {
  auto isPlan = [](const fs::path &folder) {
    std::error_code unreachable;
    return fs::exists(folder / kPlanFile, unreachable);
  };
  if (isPlan(path)) // and cannot be read
    return "";
  std::string meant;
  if (path.filename() == kPlanFile && isPlan(path.parent_path()))
    meant = path.has_parent_path() ? path.parent_path().string() : ".";
  std::error_code failure;
  for (fs::directory_iterator entry(path, failure), end; !failure && entry != end; entry.increment(failure))
    if (isPlan(entry->path()))
      meant = std::max(meant, entry->path().string());
  return "; a plan is a folder that windlass-compile wrote" +
         (meant.empty() ? "" : ", did you mean \"" + meant + "\"?");
}

} // namespace

Result<Plan> readPlan(const std::string &folder, HashRule rule) {
  const std::string file = folder + "/" + kPlanFile;
  Result<std::string> text = readFile(file);
  if (!text)
    return Status::badInput(text.status().message() + whatWasMeant(folder));
  return parsePlan(*text, file, rule);
}

} // namespace windlass::plan
