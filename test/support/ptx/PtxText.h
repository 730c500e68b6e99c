// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PtxText.h - PTX texts for tests of the machine ========================//
//
// Duty: a whole PTX text around the body of one kernel `k`, with 32 registers of every width (%p, %h, %r, %d)
// and the parameters a, b, ... of 64 bits. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace windlass::ptx {

inline std::string textOf(const std::string &body, int parameters, int threads = 32) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(\n";
  for (int number = 0; number < parameters; ++number)
    text += std::string(number ? ",\n" : "") + ".param .u64 " + static_cast<char>('a' + number);
  return text + "\n)\n.reqntid " + std::to_string(threads) +
         ", 1, 1\n{\n.reg .pred %p<32>;\n.reg .b16 %h<32>;\n.reg .b32 %r<32>;\n.reg .b64 %d<32>;\n" + body +
         "ret;\n}\n";
}

/// Parameters of 64 bits, as a launch takes them.
inline std::vector<uint8_t> parametersOf(const std::vector<uint64_t> &values) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
  return {bytes, bytes + values.size() * sizeof(uint64_t)};
}

} // namespace windlass::ptx
