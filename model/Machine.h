// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Machine.h - what a machine has and how fast it is =====================//
//
// Duty: the hardware file ("windlass.hardware/1") as plain structs, and the
// roofline: how long a kernel or a transfer takes on one rank.
// Units: bytes, seconds, per second. Every query is per rank, with all ranks busy.
// Threads: a const Machine may be read by any number of threads.
// Errors: Status names the file, the key, the rule and the value found.
// The page that describes the file: docs/hardware.md.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace windlass::model {

enum class RateId : uint8_t {
#define WINDLASS_RATE(Id, Path, Unit, Required, Doc) Id,
#include "model/Rates.def"
};
inline constexpr size_t kRates = static_cast<size_t>(RateId::HostLink) + 1;

struct Rate {
  double perSecond = 0; ///< 0: not given
  bool measured = false;
};

/// The path of a rate in the hardware file ("nvme.read") and its unit ("B").
std::string_view ratePath(RateId id);
std::string_view rateUnit(RateId id);

/// How a collective goes where its group has ranks in several nodes.
enum class Route : uint8_t {
  Ring,         ///< one ring over all ranks: inside and between nodes at once, a hop for each rank
  Hierarchical, ///< between nodes, then inside them: one after the other, a hop for each node and each rank
                ///< of one
  Tree,    ///< trees over nodes and over the ranks of one: as the ring, with a hop for each level of them
  Switch,  ///< switches sum and spread: what others hold enters a node once, with a hop up and one down
  Fastest, ///< the fastest route without such a switch, for the bytes of the collective
};
std::string_view textOf(Route route);

/// Ranks that a collective runs over: how many in each group, and among how many consecutive ones a group
/// lies, evenly.
struct RankGroup {
  int64_t ranks = 1, span = 1;
};

/// Who holds the bytes of a collective: before a gather or broadcast, and after a reduction.
enum class Holders : uint8_t {
  All, ///< every rank a piece; each receives what the others hold: (n - 1)/n of the bytes
  Root ///< one rank; each other receives all of them, passed on in parts: as many bytes on a link as there
       ///< are (bus bandwidth of broadcast and reduce: NVIDIA/nccl-tests, doc/PERFORMANCE.md)
};

/// What binds the collectives of a group.
struct BindingLink {
  RateId rate = RateId::Gg;
  int64_t shares = 1;        ///< of that rate: between nodes, of all ranks of the group in a node
  double secondsPerByte = 0; ///< of the gathered (unreduced) side
};

class Machine {
public:
  std::string name;
  std::string text;            ///< the hardware file itself
  std::string backend = "cpu"; ///< what its devices are: a word of runtime/plan/Devices.def
  int64_t nodes = 1, ranksPerNode = 1;
  int64_t deviceCapacity = 0; ///< per rank
  int64_t hostCapacity = 0;   ///< per node, shared by its ranks
  int64_t nvmeCapacity = 0;   ///< per node, shared by its ranks
  int64_t nvmeDepth = 4;      ///< requests in flight
  double launchOverhead = 0;  ///< seconds per launch; of a core, where cores are shared
  /// Products of 16-bit numbers whose m, n or k is no multiple of this go at the rate of f32.
  int64_t matmulMultiple = 1;
  bool fusedAttention = false; ///< scores of attention stay on the device's chip, whatever computes them
  double nvmeLatency = 0, ggLatency = 0;
  double nodesLatency = -1;       ///< of collectives that cross nodes; negative: ggLatency
  double ggHop = 0, nodesHop = 0; ///< of collectives, for each hop from rank to rank, from node to node
  Route route = Route::Ring;
  double cgLatency = 0;       ///< seconds per copy; of a core, where cores are shared
  double nvmeRequestWork = 0; ///< seconds of a core that each request of a read or write takes
  double nvmeRequestTime = 0; ///< seconds of the disk that each request takes, besides its bytes
  /// CPU backend: cores of a node on which kernels and cg and gg copies of a node's ranks run; 0: devices of
  /// their own.
  int64_t sharedCores = 0;
  /// Threads a rank computes with on shared cores; not in the file, set by who knows the training file.
  int64_t threadsPerRank = 1;
  std::array<Rate, kRates> rates{};
  /// Kernels that have been measured themselves, by their names in a plan (Kernel::symbol): seconds that a
  /// launch of the whole range takes, with shared cores those of a core. Rates say what any other kernel
  /// takes.
  std::map<std::string, double, std::less<>> kernels;
  /// Whether these times count for launches on the device, and on the host; false: rates say what any takes,
  /// since another device or host was asked for (ChangeMachine.h).
  bool deviceKernelsCount = true, hostKernelsCount = true;
  /// By a key of the file, or an object of keys ("links.gg"): where its values come from, for people.
  std::map<std::string, std::string, std::less<>> sources;

  /// Whether there is such a tier at all: only the disk may be missing.
  bool has(plan::Tier tier) const { return tier != plan::Tier::Nvme || nvmeCapacity > 0; }

  int64_t ranks() const { return nodes * ranksPerNode; }
  /// What one rank may use of a tier: its device, its share of the node's host and NVMe (multiples of 4 KiB),
  /// and no more than an arena may have.
  int64_t capacity(plan::Tier tier) const;

  /// As given or measured, with the documented stand-in for a rate left out.
  Rate rate(RateId id) const;
  /// For reasons: the rate, and where it stands in the file.
  plan::QuotedRate quote(RateId id) const;
  /// The same of one of latencyKeys().
  plan::QuotedTime quote(double Machine::*latency) const;
  /// Where the value at a path comes from: "measured", what the file's `sources` say, or "declared".
  std::string sourceOf(RateId id) const;
  /// Whether every rate the machine gives has been measured.
  bool isMeasured() const;

  /// What a lane that works alone takes of its rank's share of the cores, or, where devices are of their own,
  /// of its share of the host's memory: seconds of all of it per second of the lane. 0: nothing else slows
  /// it. Lanes that ask for more than 1 together slow each other down.
  double sharedWeight(plan::Lane lane) const;
  /// What a read or write of so many bytes takes of that share, beside the disk's own time: seconds of all of
  /// it.
  double requestSeconds(double bytes) const;
  /// Of a rank's copies on shared cores: cores that one thread has, all ranks busy; else 1.
  double threadSpeed() const { return speedup(1); }
  /// What that share is of: "cores" or "links.host".
  std::string_view sharedThing() const { return sharedCores > 0 ? "cores" : "links.host"; }
  /// Bytes per second that a rank's share of the host's memory moves; infinite without a limit. The rates of
  /// shared cores have this limit in them.
  double throughHost() const;
  /// What binds reads (nvme.read) or writes (nvme.write): links.host where the host's memory is slower than
  /// the disk.
  RateId diskLink(RateId direction) const;
  /// Cores of a node that are one rank's share; 0: devices of their own.
  double coresPerRank() const;

  /// `divisor`: the greatest of m, n and k; 0, which all numbers divide: not known.
  double matmulSeconds(double flops, plan::ElementType type, int64_t divisor = 0) const;
  /// Whether times of kernels that were measured themselves count for launches of the lane.
  bool countsMeasured(plan::Lane lane) const {
    return lane == plan::Lane::HostCompute ? hostKernelsCount : deviceKernelsCount;
  }
  /// A launch of `part` of the range of a kernel whose measured time counts; else null.
  std::optional<double> measuredSeconds(std::string_view kernel, plan::Lane lane, double part) const;
  /// A generated kernel in device memory that moves `bytes` and computes `flops`.
  double kernelSeconds(double bytes, double flops = 0) const;
  /// A generated kernel over operands in host memory.
  double hostKernelSeconds(double bytes) const;
  double uploadSeconds(double bytes) const;
  double offloadSeconds(double bytes) const;
  /// How many seconds of reads and writes the disk does in one: 2 if neither slows the other, 1 if they take
  /// turns, or were measured to go slower together than in turns. Both pass through the host's memory.
  double nvmeDuplex() const;
  double readSeconds(double bytes) const;
  double writeSeconds(double bytes) const;
  /// A ring: every rank gets what the others hold over its own link, and every node, once for all ranks of
  /// the group in it, what other nodes hold.
  BindingLink bindingLink(const RankGroup &group, Holders holders = Holders::All) const;
  /// `bytes` of the gathered (unreduced) side.
  double collectiveSeconds(double bytes, const RankGroup &group, Holders holders = Holders::All) const;
  /// A message from one rank to another. Each rank has a link of its own.
  double messageSeconds(double bytes, bool acrossNodes) const;
  int64_t nodeOf(int64_t rank) const { return rank / ranksPerNode; }
  double allGatherSeconds(double bytes) const { return collectiveSeconds(bytes, {ranks(), ranks()}); }
  /// Whether some of the groups have ranks in several nodes.
  bool crossesNodes(const RankGroup &group) const { return ranksPerNode % group.span != 0; }

private:
  double ofOneThread(double seconds) const; ///< work of one core, on a rank's share of them
  /// How much faster `threads` threads of a rank are than one core that is its own, all ranks busy.
  double speedup(int64_t threads) const;
  double hostShare() const; ///< of the node's host rates
  /// Seconds of a rank's share of the host's memory; 0: nothing says how fast it is for all together.
  double busSeconds(double bytes) const;
  double diskSeconds(double bytes, RateId rate) const;
};

/// A time that a launch or transfer costs whatever its size, and where it stands in the hardware file.
struct LatencyKey {
  std::string_view path;
  double Machine::*seconds;
};
/// All of them; `measured` uses the paths as flat keys.
std::span<const LatencyKey> latencyKeys();

/// Refuses shared cores for a backend whose kernels run on none of the host's.
Status checkCores(const Machine &machine, const std::string &backend);

/// Reads the text of a hardware file; `file` is its name in messages.
Result<Machine> parseMachine(std::string_view text, const std::string &file);
Result<Machine> readMachine(const std::string &file);

} // namespace windlass::model
