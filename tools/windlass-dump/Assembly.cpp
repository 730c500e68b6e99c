// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assembly.h"

#include <regex>
#include <sstream>

namespace windlass::dump {
namespace {

/// The symbol of a PTX entry: names in PTX have no full stops.
std::string symbolOf(std::string entry) {
  constexpr std::string_view kStop = "_$_";
  for (size_t at = 0; (at = entry.find(kStop, at)) != std::string::npos; ++at)
    entry.replace(at, kStop.size(), ".");
  return entry;
}

} // namespace

Result<Assembly> readAssembly(const std::string &text, const std::string &name) {
  static const std::regex kEntry("Compiling entry function '([^']+)' for '([^']+)'"),
      kMemory("([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads"),
      kRegisters("Used ([0-9]+) registers");
  Assembly assembly;
  Assembled *current = nullptr;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, match, kEntry)) {
      current = &assembly[symbolOf(match[1])];
      current->device = match[2];
    } else if (current && std::regex_search(line, match, kMemory)) {
      current->stackBytes = std::stoll(match[1]);
      current->spilledBytes = std::stoll(match[2]) + std::stoll(match[3]);
    } else if (current && std::regex_search(line, match, kRegisters))
      current->registers = std::stoll(match[1]);
  }
  if (assembly.empty())
    return Status::badInput(name + ": names no kernel, as what `ptxas -v` prints does");
  return assembly;
}

} // namespace windlass::dump
