// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NamedOption.h - pass options that say something of a named thing ======//
//
// Duty: the element of list options that give a value to something with a name: the ZeRO of a bucket, the
// activation of a function that is kept, the tier of a class. Who builds a pipeline fills in the struct; on
// the command line of windlass-opt it is spelt NAME:VALUE, which is read and written here alone. Errors: what
// is spelt otherwise is refused as other options are.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace windlass {

template <typename Value> struct Named {
  std::string name;
  Value value;
};

inline bool parseNamed(llvm::StringRef text, std::string &value) {
  value = text.str();
  return true;
}
inline bool parseNamed(llvm::StringRef text, int64_t &value) { return llvm::to_integer(text, value, 10); }
inline bool parseNamed(llvm::StringRef text, plan::Tier &value) {
  std::optional<plan::Tier> tier = plan::fromText<plan::Tier>(text);
  if (tier)
    value = *tier;
  return tier.has_value();
}

inline void printNamed(llvm::raw_ostream &stream, llvm::StringRef value) { stream << value; }
inline void printNamed(llvm::raw_ostream &stream, int64_t value) { stream << value; }
inline void printNamed(llvm::raw_ostream &stream, plan::Tier value) {
  stream << llvm::StringRef(plan::textOf(value));
}

} // namespace windlass

namespace llvm::cl {

template <typename Value> class parser<windlass::Named<Value>> : public basic_parser<windlass::Named<Value>> {
public:
  using basic_parser<windlass::Named<Value>>::basic_parser;

  /// A name may hold colons, a value holds none. True where the text is refused, as LLVM has it.
  bool parse(Option &option, StringRef, StringRef text, windlass::Named<Value> &named) {
    auto [name, value] = text.rsplit(':');
    named.name = name.str();
    return name.size() == text.size() || !windlass::parseNamed(value, named.value)
               ? option.error("'" + text + "' is no NAME:VALUE")
               : false;
  }

  static void print(raw_ostream &stream, const windlass::Named<Value> &named) {
    stream << named.name << ':';
    windlass::printNamed(stream, named.value);
  }
};

} // namespace llvm::cl
