#include "runtime/plan/PlanReader.h"
#include "runtime/base/File.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/JsonValue.h"
#include "runtime/plan/PlanWriter.h"
#include "runtime/plan/Schema.h"
#include "runtime/plan/WellFormed.h"

#include <limits>
#include <type_traits>

namespace windlass::plan {
namespace {

/// The reading archive of Schema.h: the fields of one JSON record.
class RecordReader {
public:
  template <typename T> using Of = T;

  explicit RecordReader(const JsonValue &record) : from(record), usable(record.isRecord()) {}

  template <typename T> void field(std::string_view key, T &content) {
    if (!optionalField(key, content) && usable)
      from.refuse("lacks key \"" + std::string(key) + "\"");
  }
  template <typename T> void optional(std::string_view key, T &content, const T &usual) {
    if (!optionalField(key, content))
      content = usual;
  }
  template <typename T> void optionalList(std::string_view key, std::vector<T> &list) {
    optionalField(key, list);
  }
  template <typename T> void record(std::string_view key, T &content) { field(key, content); }

  /// After the last field: every key that was never asked for is unknown.
  void finish() const {
    if (usable && found < from.fieldCount())
      from.refuseUnknownKeys(asked);
  }

private:
  template <typename T> bool optionalField(std::string_view key, T &content);

  const JsonValue &from;
  bool usable;
  size_t found = 0;
  std::vector<std::string_view> asked;
};

void read(const JsonValue &json, bool &content) { content = json.boolean(); }
void read(const JsonValue &json, double &content) { content = json.number(); }
void read(const JsonValue &json, std::string &content) { content = json.string(); }
void read(const JsonValue &json, uint64_t &content) { content = json.unsignedInteger(); }
void read(const JsonValue &json, int64_t &content) { content = json.integer(0, kLargest); }
void read(const JsonValue &json, int32_t &content) {
  content = static_cast<int32_t>(json.integer(0, std::numeric_limits<int32_t>::max()));
}
void read(const JsonValue &json, uint32_t &content) {
  content = static_cast<uint32_t>(json.integer(0, std::numeric_limits<uint32_t>::max()));
}
template <typename T> void read(const JsonValue &json, std::vector<T> &list);

/// [buffer, offset, bytes] or [buffer, offset, bytes, [stride per mesh axis]]
void read(const JsonValue &json, Operand &operand) {
  size_t parts = json.size();
  if (parts != 3 && parts != 4)
    return json.refuse("must be [buffer, offset, bytes] or [buffer, offset, bytes, [strides]]");
  read(json.element(0), operand.buffer);
  read(json.element(1), operand.offset);
  read(json.element(2), operand.bytes);
  if (parts == 4)
    read(json.element(3), operand.stride);
}

template <typename T> void read(const JsonValue &json, T &content) {
  if constexpr (std::is_enum_v<T>) {
    content = static_cast<T>(json.word(wordsOf<T>()));
  } else {
    RecordReader reader(json);
    describe(reader, content);
    reader.finish();
  }
}

template <typename A, typename B> void read(const JsonValue &json, std::pair<A, B> &pair) {
  if (json.size() != 2)
    return json.refuse("must be a list of two");
  read(json.element(0), pair.first);
  read(json.element(1), pair.second);
}

/// [lane, ordinal] or [lane, [[section, ordinal], ...]]
void read(const JsonValue &json, Wait &wait) {
  if (json.size() != 2)
    return json.refuse("must be [lane, ordinal] or [lane, [[section, ordinal], ...]]");
  read(json.element(0), wait.lane);
  JsonValue ordinals = json.element(1);
  if (!ordinals.isArray())
    return read(ordinals, wait.ordinal);
  read(ordinals, wait.previous);
  if (wait.previous.empty())
    ordinals.refuse("must name at least one section");
}

template <typename T> void read(const JsonValue &json, std::vector<T> &list) {
  list.resize(json.size());
  for (size_t i = 0; i < list.size(); ++i)
    read(json.element(i), list[i]);
}

template <typename T> bool RecordReader::optionalField(std::string_view key, T &content) {
  asked.push_back(key);
  if (!usable || !from.has(key))
    return false;
  ++found;
  read(from.field(key), content);
  return true;
}

} // namespace

Result<Plan> parsePlan(const std::string &text, const std::string &file) {
  Result<nlohmann::json> json = parseJson(text, file);
  WINDLASS_TRY(json.status());
  Status failure;
  JsonValue root(*json, file, failure);
  Plan plan;
  RecordReader reader(root);
  int64_t version = 0;
  reader.field("version", version);
  WINDLASS_TRY(failure);
  if (version != kPlanVersion)
    return Status::badInput(file + ": plan version " + std::to_string(version) + ", this windlass reads " +
                            std::to_string(kPlanVersion));
  describe(reader, plan);
  reader.finish();
  WINDLASS_TRY(failure);
  WINDLASS_TRY(checkWellFormed(plan).in(file));
  return plan;
}

Result<Plan> readPlan(const std::string &folder) {
  const std::string file = folder + "/" + kPlanFile;
  Result<std::string> text = readFile(file);
  WINDLASS_TRY(text.status());
  return parsePlan(*text, file);
}

} // namespace windlass::plan
