// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/KernelSignature.h"

#include "runtime/plan/Enums.h"
#include <algorithm>

namespace windlass::plan {

std::string signatureOf(const Kernel &kernel) {
  std::string text = std::to_string(kernel.extent) + ":";
  for (size_t i = 0; i < kernel.args.size(); ++i)
    text += (i ? ", " : " ") + std::string(textOf(kernel.args[i])) + " " + std::to_string(kernel.argBytes[i]);
  return text;
}

std::string signatureTable(std::span<const Kernel> kernels) {
  std::string table;
  for (const Kernel &kernel : kernels)
    if (kernel.kind == KernelKind::Generated)
      table += kernel.symbol + " " + signatureOf(kernel) + "\n";
  return table;
}

std::map<std::string, std::string, std::less<>> readSignatures(std::string_view table) {
  std::map<std::string, std::string, std::less<>> signatures;
  while (!table.empty()) {
    const std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(line.size() + 1, table.size()));
    if (const size_t space = line.find(' '); space != line.npos)
      signatures.emplace(line.substr(0, space), line.substr(space + 1));
  }
  return signatures;
}

} // namespace windlass::plan
