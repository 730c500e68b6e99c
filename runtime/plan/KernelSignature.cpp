// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/KernelSignature.h"

#include "runtime/plan/Enums.h"
#include <algorithm>

namespace windlass::plan {

std::string signatureOf(std::span<const Kernel> kernels, size_t number) {
  const Kernel &kernel = kernels[number];
  std::string text = "kernel " + std::to_string(number) + ", range " + std::to_string(kernel.extent) + ":";
  for (size_t i = 0; i < kernel.args.size(); ++i)
    text += (i ? ", " : " ") + std::string(textOf(kernel.args[i])) + " " + std::to_string(kernel.argBytes[i]);
  return text;
}

std::string signatureTable(std::span<const Kernel> kernels) {
  std::string table;
  for (size_t i = 0; i < kernels.size(); ++i)
    if (kernels[i].kind == KernelKind::Generated)
      table += kernels[i].symbol + " " + signatureOf(kernels, i) + "\n";
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
