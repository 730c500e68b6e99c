// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/Placement/PlacementRates.h"

#include "runtime/base/DiskBlock.h"

namespace windlass::planning {
namespace {

using model::Machine;
using model::RateId;

/// Bytes per second of a transfer, without its latency; 0: the machine has no such link.
LinkRate linkRate(const Machine &machine, RateId id, double (Machine::*seconds)(double) const) {
  constexpr double bytes = 1e9;
  double moving = (machine.*seconds)(bytes) - (machine.*seconds)(0);
  return {moving > 0 ? bytes / moving : 0, machine.quote(id)};
}

} // namespace

void setRates(PlacementProblem &problem, const Machine &machine) {
  problem.cgIn = linkRate(machine, RateId::CgIn, &Machine::uploadSeconds);
  problem.cgOut = linkRate(machine, RateId::CgOut, &Machine::offloadSeconds);
  problem.ncIn = linkRate(machine, machine.diskLink(RateId::NvmeRead), &Machine::readSeconds);
  problem.ncOut = linkRate(machine, machine.diskLink(RateId::NvmeWrite), &Machine::writeSeconds);
  problem.computeQuote = machine.quote(RateId::DeviceBandwidth);
  problem.hostComputeQuote = machine.quote(RateId::HostBandwidth);
  for (auto [resource, lane] :
       {std::pair(Resource::Compute, plan::Lane::Compute), std::pair(Resource::Gg, plan::Lane::Gg),
        std::pair(Resource::CgIn, plan::Lane::CgIn), std::pair(Resource::CgOut, plan::Lane::CgOut),
        std::pair(Resource::HostCompute, plan::Lane::HostCompute)})
    problem.sharedWeight[static_cast<size_t>(resource)] = machine.sharedWeight(lane);
  // Of what the disk moves in a second, the cores do the requests.
  for (auto [resource, link] :
       {std::pair(Resource::NcIn, &problem.ncIn), std::pair(Resource::NcOut, &problem.ncOut)})
    problem.sharedWeight[static_cast<size_t>(resource)] =
        machine.requestSeconds(kDiskBlockBytes) / kDiskBlockBytes * link->bytesPerSecond;
}

} // namespace windlass::planning
