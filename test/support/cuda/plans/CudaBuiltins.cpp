// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/plans/CudaBuiltins.h"
#include "runtime/kernels/cuda/DeviceProbe.h"
#include "runtime/transport/OrderedSum.h"
#include "runtime/transport/peer/PeerTransport.h"
#include <cstring>

namespace windlass::test {

namespace {

void sum(const DeviceSum &code, SimOperands &operands) {
  const auto elements = static_cast<int64_t>(operands[1]);
  const auto bytes = static_cast<uint64_t>(elements * code.elementBytes);
  std::vector<const std::byte *> sources;
  for (size_t q = 0; q < operands[2]; ++q)
    sources.push_back(operands.read(operands[3 + q], bytes));
  std::byte *out = operands.write(operands[0], bytes);
  if (operands.blocks() != static_cast<unsigned>((elements + kSumElements - 1) / kSumElements))
    operands.fail("a grid that does not cover the sum");
  if (operands.fault().isOk())
    sumInOrder(code.type, sources, out, static_cast<int64_t>(bytes));
}

void probe(SimOperands &operands) {
  const std::byte *from = operands.read(operands[0], kProbePatterns * sizeof(ProbePattern));
  std::byte *to = operands.write(operands[1], kProbeOperations * kProbePatterns * sizeof(uint64_t));
  if (operands.blocks() != kProbePatterns / kProbeThreads)
    operands.fail("a grid that does not cover the patterns");
  if (!operands.fault().isOk())
    return;
  std::vector<ProbePattern> patterns(kProbePatterns);
  std::memcpy(patterns.data(), from, patterns.size() * sizeof(ProbePattern));
  const std::vector<uint64_t> results = probeResults(patterns);
  std::memcpy(to, results.data(), results.size() * sizeof(uint64_t));
}

} // namespace

void addBuiltins(SimHostCode::Functions &functions) {
  for (const DeviceSum &code : kDeviceSums)
    functions[code.symbol] = {3 + kMostSummed, [code](SimOperands &operands) { sum(code, operands); }};
  functions[kProbe] = {2, probe};
}

std::string builtinEntries() {
  SimHostCode::Functions functions;
  addBuiltins(functions);
  std::string text;
  for (const auto &[name, function] : functions)
    text += ".entry " + name + "(\n";
  return text;
}

} // namespace windlass::test
