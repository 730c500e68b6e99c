// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/HostRoom.h"

#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "runtime/transport/ExchangeTransport.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sys/stat.h>

namespace windlass {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

/// The number behind a word at the beginning of a line.
int64_t numberAfter(const std::string &path, const std::string &word, int64_t otherwise) {
  std::ifstream file(path);
  std::string key;
  for (int64_t value = 0; file >> key >> value; file.ignore(kNoLimit, '\n'))
    if (key == word)
      return value;
  return otherwise;
}

int64_t numberIn(const std::string &path) {
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value ? value : kNoLimit; // "max" is no number
}

/// How a version of control groups names what this asks.
struct ControlFiles {
  const char *line, *root, *limit, *used, *files[2];
};
constexpr ControlFiles kControlFiles[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file", "active_file"}},
    {":memory:",
     "/sys/fs/cgroup/memory",
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     {"total_inactive_file", "total_active_file"}}};

/// What a group leaves to its processes; what it keeps of files it would drop.
int64_t leftBy(const std::string &group, const ControlFiles &names) {
  const int64_t most = numberIn(group + "/" + names.limit), used = numberIn(group + "/" + names.used);
  if (most == kNoLimit || used == kNoLimit)
    return kNoLimit;
  int64_t files = 0;
  for (const char *kind : names.files)
    files += numberAfter(group + "/memory.stat", kind, 0);
  return std::max<int64_t>(0, most - std::max<int64_t>(0, used - files));
}

/// What the control groups of this process leave, where it is in any: the system kills who goes over.
int64_t leftByControlGroups() {
  std::ifstream file("/proc/self/cgroup");
  int64_t left = kNoLimit;
  for (std::string line; std::getline(file, line);)
    for (const ControlFiles &names : kControlFiles) {
      const size_t at = line.find(names.line);
      if (at == std::string::npos)
        continue;
      std::string path = line.substr(at + std::strlen(names.line));
      for (; path.starts_with('/'); path.erase(path.rfind('/')))
        left = std::min(left, leftBy(names.root + path, names));
    }
  return left;
}

struct HostUse {
  int64_t needed = 0, left = kNoLimit, processes = 0;
  void add(int64_t need, int64_t free) {
    needed += need;
    left = std::min(left, free);
    ++processes;
  }
};

Status refuse(const std::string &host, const HostUse &use, const std::string &what) {
  return Status::cannotFit("host " + host + " has " + formatBytes(use.left) + " of " + what +
                           " left, but this job needs " + formatBytes(use.needed) + " there, for " +
                           counted(use.processes, "process"));
}

} // namespace

int64_t freeMemory() {
  const int64_t available = numberAfter("/proc/meminfo", "MemAvailable:", kNoLimit / 2048) * 1024;
  const int64_t swap = numberAfter("/proc/meminfo", "SwapFree:", 0) * 1024;
  return std::min(available + swap, leftByControlGroups());
}

HostNeed needOf(const plan::Plan &plan, const plan::RankSet &ranks, bool isAlone, std::string scratchFolder) {
  HostNeed need;
  need.scratchFolder = std::move(scratchFolder);
  for (int64_t rank : ranks) {
    const plan::Program &program = plan::programOf(plan, rank);
    for (const plan::Arena &arena : program.arenas) {
      if (arena.tier == plan::Tier::Nvme)
        need.scratchBytes += isAlone ? 0 : arena.bytes; // one process says so itself, file by file
      else if (arena.tier == plan::Tier::Host || plan.backend == "cpu")
        need.memoryBytes += arena.bytes;
    }
    if (isAlone || plan.backend != "cpu") // which sums over processes on its device
      continue;
    std::set<std::pair<plan::Lane, std::vector<int64_t>>> summing;
    for (const plan::Section &section : program.sections)
      for (const plan::Instruction &each : section.instructions)
        if (each.op == plan::Opcode::ReduceScatter || each.op == plan::Opcode::Reduce)
          summing.emplace(each.lane, std::vector<int64_t>(each.axes.begin(), each.axes.end()));
    need.memoryBytes += std::ssize(summing) * ExchangeTransport::kStagingBytes;
  }
  return need;
}

Status checkHostRoom(JobProcess &job, const HostNeed &mine) {
  struct stat folder = {};
  std::error_code unknown;
  const std::filesystem::space_info disk = std::filesystem::space(mine.scratchFolder, unknown);
  const bool isKnown = !unknown && ::stat(mine.scratchFolder.c_str(), &folder) == 0;
  Result<std::vector<std::string>> all =
      job.exchange(Packing()
                       .add(mine.memoryBytes)
                       .add(freeMemory())
                       .add(mine.scratchBytes)
                       .add(isKnown ? static_cast<int64_t>(disk.available) : kNoLimit)
                       .add(static_cast<uint64_t>(folder.st_dev))
                       .take());
  if (!all)
    return all.status();
  std::map<std::string, HostUse> memory;
  std::map<std::pair<std::string, uint64_t>, HostUse> disks;
  for (int64_t process = 0; process < std::ssize(*all); ++process) {
    Unpacking unpacking((*all)[static_cast<size_t>(process)]);
    const auto bytes = unpacking.get<int64_t>(), free = unpacking.get<int64_t>();
    const auto scratch = unpacking.get<int64_t>(), room = unpacking.get<int64_t>();
    memory[job.hostOf(process)].add(bytes, free);
    if (scratch > 0)
      disks[{job.hostOf(process), unpacking.get<uint64_t>()}].add(scratch, room);
  }
  for (const auto &[host, use] : memory)
    if (use.needed > use.left)
      return refuse(host, use, "memory");
  for (const auto &[place, use] : disks)
    if (use.needed > use.left)
      return refuse(place.first, use, "the disk that scratch files go to");
  return Status::ok();
}

} // namespace windlass
