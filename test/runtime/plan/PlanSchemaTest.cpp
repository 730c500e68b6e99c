// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A version of the plan format has fixed keys and words. plan-schema.txt lists all of them, so that a change
// of one fails until the version is raised.
#include "runtime/base/File.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/file/Schema.h"
#include "test/support/Folders.h"
#include <gtest/gtest.h>
#include <type_traits>

namespace windlass::plan {
namespace {

/// An archive of Schema.h that lists the keys of a value of each record, such as "programs[].arenas[].tier:
/// word".
class KeyLister {
public:
  template <typename T> using Of = const T;

  template <typename T> void field(std::string_view key, const T &content) {
    const std::string outer = path;
    path += (outer.empty() ? "" : ".") + std::string(key);
    value(content);
    path = outer;
  }
  template <typename T> void optional(std::string_view key, const T &, const T &usual) { maybe(key, usual); }
  void signedNumber(std::string_view key, int64_t, int64_t usual) { maybe(key, usual); }
  template <typename T> void optionalList(std::string_view key, const std::vector<T> &list) {
    maybe(key, list);
  }
  template <typename T> void record(std::string_view key, const T &content) { field(key, content); }

  std::string text;

private:
  template <typename T> void maybe(std::string_view key, const T &content) {
    field(std::string(key) + "?", content);
  }
  void line(const std::string &type) { text += path + ": " + type + "\n"; }
  template <typename Enum> static std::string words() {
    std::string list;
    for (std::string_view word : wordsOf<Enum>())
      list += (list.empty() ? "" : " | ") + std::string(word);
    return list;
  }
  /// The name of the elements of a list or a pair that are no records.
  template <typename T> static std::string nameOf() {
    if constexpr (std::is_enum_v<T>)
      return words<T>();
    else if constexpr (std::is_same_v<T, std::string>)
      return "text";
    else if constexpr (std::is_same_v<T, bool>)
      return "truth";
    else if constexpr (std::is_floating_point_v<T>)
      return "real";
    else
      return "whole";
  }

  void value(const std::string &) { line("text"); }
  void value(const Operand &) { line("[buffer, offset, bytes, stride?]"); }
  void value(const Wait &) { line("[lane, ordinal or sections]"); }
  void value(const SectionRuns &) { line("[section, times]"); }
  template <typename A, typename B> void value(const std::pair<A, B> &) {
    line("[" + nameOf<A>() + ", " + nameOf<B>() + "]");
  }
  template <typename T> void value(const std::vector<T> &) {
    const std::string outer = path;
    path += "[]";
    value(T());
    path = outer;
  }
  void value(const Kernel &) {
    Kernel kernel;
    kernel.kind = KernelKind::Matmul; // the kind with the most keys
    describe(*this, kernel);
  }
  template <typename T> void value(const T &content) {
    if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T>)
      line(nameOf<T>());
    else
      describe(*this, content);
  }

  std::string path;
};

TEST(PlanSchema, OfAVersionStaysAsItIs) {
  KeyLister lister;
  lister.field("version", kPlanVersion);
  describe(lister, Plan());
  const Result<std::string> kept = readFile(WINDLASS_SOURCE_DIR "/test/runtime/plan/plan-schema.txt");
  ASSERT_TRUE(kept) << kept.status().message();
  EXPECT_EQ("version " + std::to_string(kPlanVersion) + "\n\n" + lister.text, *kept)
      << "the plan format is another: raise kPlanVersion, say why in docs/plan-format.md, and list the new "
         "one";
}

} // namespace
} // namespace windlass::plan
