// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Cores.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sched.h>

namespace windlass {
namespace {

constexpr pid_t kThisThread = 0; // for the system's calls

int64_t topologyOf(int number, const char *what) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(number) + "/topology/" + what);
  int64_t value = 0;
  return file >> value ? value : 0;
}

bool runOn(pid_t thread, std::span<const int64_t> processors) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int64_t number : processors)
    CPU_SET(static_cast<size_t>(number), &set);
  return ::sched_setaffinity(thread, sizeof set, &set) == 0;
}

bool shareACore(const Processor &one, const Processor &other) {
  return one.package == other.package && one.core == other.core;
}

} // namespace

std::vector<Processor> processorsHere() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<Processor> found;
  if (::sched_getaffinity(kThisThread, sizeof set, &set) != 0)
    return found;
  for (int number = 0; number < CPU_SETSIZE; ++number)
    if (CPU_ISSET(static_cast<size_t>(number), &set))
      found.push_back({number, topologyOf(number, "physical_package_id"), topologyOf(number, "core_id")});
  return found;
}

std::vector<int64_t> partOf(std::vector<Processor> processors, int64_t part, int64_t parts) {
  std::ranges::sort(processors, {},
                    [](const Processor &each) { return std::tuple(each.package, each.core, each.number); });
  std::vector<int64_t> cores; // where each begins
  for (int64_t i = 0; i < std::ssize(processors); ++i)
    if (i == 0 || !shareACore(processors[static_cast<size_t>(i - 1)], processors[static_cast<size_t>(i)]))
      cores.push_back(i);
  if (std::ssize(cores) < parts) {
    cores.resize(processors.size());
    for (size_t i = 0; i < cores.size(); ++i)
      cores[i] = static_cast<int64_t>(i);
  }
  if (std::ssize(cores) < parts)
    return {};
  const int64_t count = std::ssize(cores);
  cores.push_back(std::ssize(processors));
  std::vector<int64_t> mine;
  for (int64_t i = cores[static_cast<size_t>(part * count / parts)];
       i < cores[static_cast<size_t>((part + 1) * count / parts)]; ++i)
    mine.push_back(processors[static_cast<size_t>(i)].number);
  return mine;
}

std::vector<int64_t> partOfRank(std::vector<Processor> processors, int64_t rank, int64_t ranks) {
  const int64_t count = std::ssize(processors);
  if (count > 0 && count < ranks && ranks % count == 0)
    return partOf(std::move(processors), rank % count, count);
  const auto sizeOfPart = [&](int64_t each) { return partOf(processors, each, ranks).size(); };
  for (int64_t each = 1; each < ranks; ++each)
    if (sizeOfPart(each) != sizeOfPart(0))
      return {};
  return partOf(std::move(processors), rank, ranks);
}

bool runOn(std::span<const int64_t> processors) {
  std::error_code failure;
  std::filesystem::directory_iterator threads("/proc/self/task", failure);
  bool isDone = !failure;
  for (; !failure && threads != std::filesystem::directory_iterator(); threads.increment(failure)) {
    const std::string name = threads->path().filename().string();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    isDone &= thread > 0 && runOn(thread, processors);
  }
  return isDone;
}

RunsOn::RunsOn(std::span<const int64_t> processors) {
  if (processors.empty())
    return;
  for (const Processor &each : processorsHere())
    before.push_back(each.number);
  if (!runOn(kThisThread, processors))
    before.clear();
}

RunsOn::~RunsOn() {
  if (!before.empty())
    runOn(kThisThread, before);
}

std::string textOfProcessors(std::span<const Processor> processors) {
  std::string text;
  for (size_t i = 0; i < processors.size(); ++i) {
    const int64_t first = processors[i].number;
    while (i + 1 < processors.size() && processors[i + 1].number == processors[i].number + 1)
      ++i;
    text += (text.empty() ? "" : ",") + std::to_string(first) +
            (processors[i].number == first ? "" : "-" + std::to_string(processors[i].number));
  }
  return text;
}

} // namespace windlass
