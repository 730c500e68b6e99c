// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/ptx/AuditPtx.h"

#include "runtime/base/ParseNumber.h"
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace windlass::codegen {
namespace {

constexpr auto kOpcodes = std::to_array<std::string_view>({
#define PTX_COMPUTE(name, text, operands) text,
#define PTX_LOAD(name, text, space, elements, bytes) text,
#define PTX_STORE(name, text, space, elements, bytes) text,
#define PTX_CONTROL(name, text, kind) text,
#include "compiler/codegen/ptx/PtxOpcodes.def"
});

/// Parts of opcodes that are refused by name, since they would be valid PTX.
constexpr auto kRefused = std::to_array<std::string_view>(
    {"approx", "ftz", "f32x2", "nc", "atom", "red", "membar", "fence", "local", "volatile", "sat"});

constexpr auto kRounded =
    std::to_array<std::string_view>({"add", "sub", "mul", "mad", "fma", "div", "rcp", "sqrt"});

bool isOneOf(std::string_view word, const auto &words) {
  return std::ranges::find(words, word) != words.end();
}

/// The words of a line; the characters of `alone` are words, those of `around` part words.
std::vector<std::string_view> split(std::string_view text, std::string_view around, std::string_view alone) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < text.size();) {
    if (around.find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    const bool isAlone = alone.find(text[at]) != std::string_view::npos;
    size_t end = at + 1;
    while (!isAlone && end < text.size() && around.find(text[end]) == std::string_view::npos &&
           alone.find(text[end]) == std::string_view::npos)
      ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Whether PTX has such names: of letters, digits, "_" and "$", of which a digit is not the first; or "%"
/// before any of these.
bool isName(std::string_view word) {
  constexpr std::string_view kDigits = "0123456789",
                             kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const auto isOf = [](char c, std::string_view set) { return set.find(c) != std::string_view::npos; };
  if (word.empty() || !(isOf(word[0], kLetters) || (isOf(word[0], "_$%") && word.size() > 1)))
    return false;
  return std::ranges::all_of(word.substr(1),
                             [&](char c) { return isOf(c, kLetters) || isOf(c, kDigits) || isOf(c, "_$"); });
}

std::optional<int64_t> numberOf(std::string_view word) {
  int64_t value = 0;
  return parseNumber(word, value) ? std::optional(value) : std::nullopt;
}

/// Bytes of an element of a type such as ".u64".
std::optional<int64_t> bytesOf(std::string_view type) {
  if (type.size() < 3)
    return std::nullopt;
  std::optional<int64_t> bits = numberOf(type.substr(2));
  return bits && *bits >= 8 ? std::optional(*bits / 8) : std::nullopt;
}

/// Reads the lines of a text in order.
class PtxAudit {
public:
  Status audit(std::string_view text) {
    for (size_t at = 0; at < text.size(); ++line) {
      const size_t end = std::min(text.find('\n', at), text.size());
      std::string_view statement = text.substr(at, end - at);
      words = split(statement.substr(0, statement.find("//")), " \t\r,", "(){}[];:@=");
      WINDLASS_TRY(auditLine());
      at = end + 1;
    }
    if (!sawVersion || !sawTarget || !sawAddressSize)
      return Status::internal("PTX without .version, .target or .address_size");
    return where == Where::Outside ? Status::ok() : refuse("the text ends inside a kernel");
  }

private:
  enum class Where { Outside, Parameters, Head, Body };

  Status refuse(const std::string &why) const {
    return Status::internal("PTX line " + std::to_string(line) + ": " + why);
  }
  /// Checks a name that the text defines.
  Status auditName(std::string_view name) const {
    return isName(name) ? Status::ok() : refuse(quoted(name) + " is no name that PTX has");
  }
  static std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

  Status auditLine() {
    if (words.empty())
      return Status::ok();
    switch (where) {
    case Where::Outside:
      return auditOutside();
    case Where::Parameters:
      return auditParameter();
    case Where::Head:
      return auditHead();
    case Where::Body:
      return auditBody();
    }
    return Status::ok();
  }

  /// Checks a line of two words, whose second word must be `expected`.
  Status auditHeader(bool &saw, std::string_view expected) {
    if (words.size() != 2 || words[1] != expected)
      return refuse(std::string(words[0]) + " is not " + std::string(expected));
    saw = true;
    return Status::ok();
  }

  Status auditOutside() {
    if (words[0] == ".version")
      return auditHeader(sawVersion, kPtxVersion);
    if (words[0] == ".target")
      return auditHeader(sawTarget, kPtxTarget);
    if (words[0] == ".address_size")
      return auditHeader(sawAddressSize, "64");
    if (words.size() > 1 && words[0] == ".visible" && words[1] == ".global")
      words.erase(words.begin());
    if (words[0] == ".global" || words[0] == ".shared")
      return auditVariable();
    if (words.size() < 4 || words[0] != ".visible" || words[1] != ".entry" || words[3] != "(")
      return refuse(quoted(words[0]) + " is neither a kernel nor a variable of ours");
    WINDLASS_TRY(auditName(words[2]));
    kernel = words[2], parameterBytes = 0, sharedBytes = moduleSharedBytes, threads = 0;
    where = Where::Parameters;
    if (words.back() == ")")
      where = Where::Head;
    return Status::ok();
  }

  /// .shared .align 16 .b8 name[bytes]; a .global one may be followed by its first bytes.
  Status auditVariable() {
    const auto bracket = std::ranges::find(words, "[");
    const std::optional<int64_t> count = words.end() - bracket > 2 ? numberOf(bracket[1]) : std::nullopt;
    if (!count || !isOneOf(".b8", words))
      return refuse("a variable that is not so many .b8");
    WINDLASS_TRY(auditName(bracket[-1]));
    if (words[0] == ".global")
      return Status::ok();
    (where == Where::Outside ? moduleSharedBytes : sharedBytes) += *count;
    if (std::max(moduleSharedBytes, sharedBytes) > kSharedLimit)
      return refuse("shared memory of more than " + std::to_string(kSharedLimit) + " bytes");
    return Status::ok();
  }

  Status auditParameter() {
    if (words[0] == ")") {
      where = Where::Head;
      return Status::ok();
    }
    const std::optional<int64_t> bytes = words.size() < 3 ? std::nullopt : bytesOf(words[1]);
    if (words[0] != ".param" || !bytes)
      return refuse("kernel " + quoted(kernel) + " has a parameter that is no number");
    WINDLASS_TRY(auditName(words.back()));
    parameterBytes = (parameterBytes + *bytes - 1) / *bytes * *bytes + *bytes;
    if (parameterBytes > kParameterLimit)
      return refuse("kernel " + quoted(kernel) + " has parameters of more than " +
                    std::to_string(kParameterLimit) + " bytes");
    return Status::ok();
  }

  Status auditHead() {
    if (words[0] == ".reqntid") {
      threads = words.size() == 4 && words[2] == "1" && words[3] == "1" ? numberOf(words[1]).value_or(0) : 0;
      if (threads < 1 || threads > kThreadLimit)
        return refuse("kernel " + quoted(kernel) + " has no block of 1 to " + std::to_string(kThreadLimit) +
                      " threads along x");
      return Status::ok();
    }
    if (words[0] == ".minnctapersm") {
      if (words.size() != 2 || numberOf(words[1]).value_or(0) < 1)
        return refuse("kernel " + quoted(kernel) + " asks for no number of blocks on a multiprocessor");
      return Status::ok();
    }
    if (words[0] != "{")
      return refuse(quoted(words[0]) + " is not known of kernels");
    where = Where::Body;
    return threads > 0 ? Status::ok() : refuse("kernel " + quoted(kernel) + " has no .reqntid");
  }

  Status auditBody() {
    if (words[0] == "}") {
      where = Where::Outside;
      return Status::ok();
    }
    if (words.size() == 2 && words[1] == ":")
      return auditName(words[0]); // a label
    if (words.back() != ";" || std::ranges::count(words, ";") != 1)
      return refuse("no statement of one line");
    if (words[0] == ".shared")
      return auditVariable();
    if (words[0] == ".reg" || words[0] == ".pragma")
      return Status::ok();
    return auditInstruction(words[0] == "@" ? 2 : 0);
  }

  Status auditInstruction(size_t place) {
    const std::string_view opcode = words[std::min(place, words.size() - 1)];
    const std::vector<std::string_view> parts = split(opcode, ".", "");
    if (parts.empty())
      return refuse(quoted(opcode) + " is no opcode");
    for (std::string_view part : parts)
      if (isOneOf(part, kRefused))
        return refuse(quoted(opcode) + " holds " + quoted(part));
    if (isOneOf(parts[0], kRounded) && parts.back().starts_with("f") && !isOneOf("rn", parts))
      return refuse(quoted(opcode) + " does not say .rn");
    if (!isOneOf(opcode, kOpcodes))
      return refuse(quoted(opcode) + " is not an opcode of ours (PtxOpcodes.def)");
    if (opcode == "bar.sync" && (words.size() <= place + 1 || words[place + 1] != "0"))
      return refuse("a barrier that is not number 0");
    return Status::ok();
  }

  std::vector<std::string_view> words;
  size_t line = 1;
  Where where = Where::Outside;
  bool sawVersion = false, sawTarget = false, sawAddressSize = false;
  std::string_view kernel;
  int64_t parameterBytes = 0, sharedBytes = 0, moduleSharedBytes = 0, threads = 0;
};

} // namespace

Status auditPtx(std::string_view text) { return PtxAudit().audit(text); }

} // namespace windlass::codegen
