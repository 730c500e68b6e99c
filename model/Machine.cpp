// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/Machine.h"

#include "runtime/base/DiskBlock.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/file/Schema.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace windlass::model {
namespace {

using plan::Tier;

/// Bytes that AdamW moves per parameter: reads gradient, master, momentum, variance; writes the last three.
constexpr double kAdamwBytes = 28;

struct RateFact {
  std::string_view path, unit;
};
constexpr std::array<RateFact, kRates> kFacts = {{
#define WINDLASS_RATE(Id, Path, Unit, Required, Doc) {Path, Unit},
#include "model/Rates.def"
}};

double atRate(double amount, double perSecond) { return perSecond > 0 ? amount / perSecond : 0; }

} // namespace

std::span<const LatencyKey> latencyKeys() {
  static constexpr std::array<LatencyKey, 9> keys = {{{"device.launch_overhead", &Machine::launchOverhead},
                                                      {"nvme.latency", &Machine::nvmeLatency},
                                                      {"nvme.request_work", &Machine::nvmeRequestWork},
                                                      {"nvme.request_time", &Machine::nvmeRequestTime},
                                                      {"links.cg.latency", &Machine::cgLatency},
                                                      {"links.gg.latency", &Machine::ggLatency},
                                                      {"links.nodes.latency", &Machine::nodesLatency},
                                                      {"links.gg.hop", &Machine::ggHop},
                                                      {"links.nodes.hop", &Machine::nodesHop}}};
  return keys;
}

std::string_view ratePath(RateId id) { return kFacts[static_cast<size_t>(id)].path; }
std::string_view rateUnit(RateId id) { return kFacts[static_cast<size_t>(id)].unit; }

Status checkCores(const Machine &machine, const std::string &backend) {
  const plan::DeviceRow *device = plan::findDevice(backend);
  if (!device || !device->hasOwnCode() || machine.sharedCores == 0)
    return Status::ok();
  return Status::badInput("shared_cores: its kernels run on the host's cores, but those of the backend '" +
                          backend + "' do not");
}

int64_t Machine::capacity(Tier tier) const {
  constexpr int64_t page = 4096;
  const auto ofArena = [](int64_t bytes) { return std::min(bytes, plan::kLargest) / page * page; };
  switch (tier) {
  case Tier::Device:
    return ofArena(deviceCapacity);
  case Tier::Host:
    return ofArena(hostCapacity / ranksPerNode);
  case Tier::Nvme:
    return ofArena(nvmeCapacity / ranksPerNode);
  }
  return 0;
}

Rate Machine::rate(RateId id) const {
  Rate given = rates[static_cast<size_t>(id)];
  if (given.perSecond > 0)
    return given;
  switch (id) {
  case RateId::MatmulBF16:
  case RateId::MatmulF16:
    return rate(RateId::MatmulF32);
  case RateId::Vector:
    return {rate(RateId::MatmulF32).perSecond / 2, rate(RateId::MatmulF32).measured};
  case RateId::Nodes:
    return rate(RateId::Gg);
  case RateId::AdamW:
    return {rate(RateId::HostBandwidth).perSecond / kAdamwBytes, rate(RateId::HostBandwidth).measured};
  default:
    return given;
  }
}

plan::QuotedRate Machine::quote(RateId id) const {
  const Rate shown = rate(id);
  return {std::string(ratePath(id)), shown.perSecond, std::string(rateUnit(id)), shown.measured};
}

plan::QuotedTime Machine::quote(double Machine::*latency) const {
  for (const LatencyKey &key : latencyKeys())
    if (key.seconds == latency)
      return {std::string(key.path), this->*latency};
  return {};
}

std::string Machine::sourceOf(RateId id) const {
  if (rate(id).measured)
    return "measured";
  for (std::string_view path = ratePath(id); !path.empty();) {
    if (const auto found = sources.find(path); found != sources.end())
      return found->second;
    const size_t dot = path.rfind('.');
    path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return "declared";
}

bool Machine::isMeasured() const {
  return std::all_of(rates.begin(), rates.end(),
                     [](Rate rate) { return rate.perSecond == 0 || rate.measured; });
}

double Machine::coresPerRank() const {
  return static_cast<double>(sharedCores) / static_cast<double>(ranksPerNode);
}

double Machine::speedup(int64_t threads) const {
  return sharedCores > 0 ? std::min(static_cast<double>(threads), coresPerRank()) : 1.0;
}

double Machine::ofOneThread(double seconds) const { return seconds / speedup(1); }

double Machine::hostShare() const {
  return sharedCores > 0 ? speedup(threadsPerRank) / static_cast<double>(sharedCores)
                         : 1.0 / static_cast<double>(ranksPerNode);
}

double Machine::busSeconds(double bytes) const {
  return atRate(bytes * static_cast<double>(ranksPerNode), rate(RateId::HostLink).perSecond);
}

double Machine::sharedWeight(plan::Lane lane) const {
  if (lane == plan::Lane::NcIn || lane == plan::Lane::NcOut)
    return 0; // requestSeconds
  if (sharedCores == 0)
    return lane == plan::Lane::CgIn          ? busSeconds(rate(RateId::CgIn).perSecond)
           : lane == plan::Lane::CgOut       ? busSeconds(rate(RateId::CgOut).perSecond)
           : lane == plan::Lane::HostCompute ? busSeconds(rate(RateId::HostBandwidth).perSecond * hostShare())
                                             : 0;
  bool computes = lane == plan::Lane::Compute || lane == plan::Lane::HostCompute;
  return speedup(computes ? threadsPerRank : 1) / coresPerRank();
}

double Machine::throughHost() const {
  const double bandwidth = rate(RateId::HostLink).perSecond;
  return sharedCores > 0 || bandwidth == 0 ? std::numeric_limits<double>::infinity()
                                           : bandwidth / static_cast<double>(ranksPerNode);
}

static double requestsOf(double bytes) { return std::ceil(bytes / static_cast<double>(kDiskBlockBytes)); }

/// Seconds in which the disk alone moves bytes for one rank.
static double onDisk(const Machine &machine, double bytes, RateId direction) {
  return atRate(bytes, machine.rate(direction).perSecond) + requestsOf(bytes) * machine.nvmeRequestTime;
}

RateId Machine::diskLink(RateId direction) const {
  constexpr auto block = static_cast<double>(kDiskBlockBytes);
  return onDisk(*this, block, direction) < block / throughHost() / static_cast<double>(ranksPerNode)
             ? RateId::HostLink
             : direction;
}

double Machine::requestSeconds(double bytes) const {
  return sharedCores > 0 ? requestsOf(bytes) * nvmeRequestWork / coresPerRank() : busSeconds(bytes);
}

/// What a launch on a device takes that computes for so long. One with code of its own gets its launches
/// ahead, while it computes earlier ones: it waits only where enqueuing takes longer than computing.
static double launched(const Machine &machine, double overhead, double seconds) {
  const plan::DeviceRow *device = plan::findDevice(machine.backend);
  return device && device->hasOwnCode() ? std::max(overhead, seconds) : overhead + seconds;
}

double Machine::matmulSeconds(double flops, plan::ElementType type, int64_t divisor) const {
  const RateId id = divisor % matmulMultiple != 0     ? RateId::MatmulF32
                    : type == plan::ElementType::BF16 ? RateId::MatmulBF16
                    : type == plan::ElementType::F16  ? RateId::MatmulF16
                                                      : RateId::MatmulF32;
  return launched(*this, ofOneThread(launchOverhead),
                  atRate(flops, rate(id).perSecond * speedup(threadsPerRank)));
}

std::optional<double> Machine::measuredSeconds(std::string_view kernel, plan::Lane lane, double part) const {
  const auto found = countsMeasured(lane) ? kernels.find(kernel) : kernels.end();
  return found == kernels.end() ? std::nullopt
                                : std::optional(found->second * part / speedup(threadsPerRank));
}

double Machine::kernelSeconds(double bytes, double flops) const {
  return launched(*this, ofOneThread(launchOverhead),
                  std::max(atRate(bytes, rate(RateId::DeviceBandwidth).perSecond * speedup(threadsPerRank)),
                           atRate(flops, rate(RateId::Vector).perSecond * speedup(threadsPerRank))));
}

double Machine::hostKernelSeconds(double bytes) const {
  return ofOneThread(launchOverhead) + atRate(bytes, rate(RateId::HostBandwidth).perSecond * hostShare());
}

double Machine::uploadSeconds(double bytes) const {
  return ofOneThread(cgLatency) + atRate(bytes, rate(RateId::CgIn).perSecond * speedup(1));
}

double Machine::offloadSeconds(double bytes) const {
  return ofOneThread(cgLatency) + atRate(bytes, rate(RateId::CgOut).perSecond * speedup(1));
}

double Machine::diskSeconds(double bytes, RateId id) const {
  return nvmeLatency +
         std::max(static_cast<double>(ranksPerNode) * onDisk(*this, bytes, id), bytes / throughHost());
}

double Machine::readSeconds(double bytes) const { return diskSeconds(bytes, RateId::NvmeRead); }

double Machine::writeSeconds(double bytes) const { return diskSeconds(bytes, RateId::NvmeWrite); }

double Machine::nvmeDuplex() const {
  const double given = rate(RateId::NvmeBoth).perSecond,
               both = std::min(given > 0 ? given : std::numeric_limits<double>::infinity(),
                               throughHost() * static_cast<double>(ranksPerNode));
  if (std::isinf(both))
    return 2;
  // A second of both brings half of its bytes in, the other half out.
  return std::clamp(both / 2 / rate(diskLink(RateId::NvmeRead)).perSecond +
                        both / 2 / rate(diskLink(RateId::NvmeWrite)).perSecond,
                    1.0, 2.0);
}

double Machine::messageSeconds(double bytes, bool acrossNodes) const {
  if (acrossNodes && rate(RateId::Nodes).perSecond > 0)
    return (nodesLatency >= 0 ? nodesLatency : ggLatency) + atRate(bytes, rate(RateId::Nodes).perSecond);
  return ggLatency + atRate(bytes, rate(RateId::Gg).perSecond * speedup(1));
}

} // namespace windlass::model
