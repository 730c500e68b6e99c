// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/CudaSums.h"
#include "runtime/transport/OrderedSum.h"
#include "runtime/transport/peer/PeerTransport.h"

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

} // namespace

void addDeviceSums(SimHostCode::Functions &functions) {
  for (const DeviceSum &code : kDeviceSums)
    functions[code.symbol] = {3 + kMostPeers, [code](SimOperands &operands) { sum(code, operands); }};
}

} // namespace windlass::test
