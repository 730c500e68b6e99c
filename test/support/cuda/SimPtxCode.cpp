// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimPtxCode.h"
#include "test/support/ptx/PtxMachine.h"
#include "test/support/ptx/PtxReader.h"
#include <algorithm>
#include <atomic>

namespace windlass::test {

namespace {

/// The address of the first variable of a module. It lies below anything that a process has mapped, and so in
/// no allocation.
constexpr uint64_t kVariables = 0x1000, kVariableAlignment = 256;

ptx::Region regionOf(const SimRegion &region) {
  return {"the device's memory", region.address, region.bytes, reinterpret_cast<uint8_t *>(region.data),
          region.written};
}

/// The allocations of the device, and the variables of one module.
class DeviceMemoryOf final : public ptx::Memory {
public:
  DeviceMemoryOf(std::span<const SimRegion> allocations, std::span<const ptx::Region> variables)
      : regions(variables.begin(), variables.end()) {
    std::ranges::transform(allocations, std::back_inserter(regions), regionOf);
    std::ranges::sort(regions, {}, &ptx::Region::address);
  }
  const ptx::Region *find(uint64_t address) const override {
    const auto next = std::ranges::upper_bound(regions, address, {}, &ptx::Region::address);
    if (next == regions.begin())
      return nullptr;
    const ptx::Region &before = *std::prev(next);
    return address - before.address < before.bytes ? &before : nullptr;
  }

private:
  std::vector<ptx::Region> regions; ///< sorted by address
};

/// The most steps of the warps of a launch. A launch that takes more counts as endless.
constexpr uint64_t kMostSteps = uint64_t{1} << 26;

class PtxCode final : public SimCode {
public:
  PtxCode(ptx::Module given, uint64_t seed) : module(std::move(given)), seed(seed) {
    for (const ptx::Kernel &kernel : module.kernels) {
      SimEntry &entry = entries.emplace_back();
      entry.name = kernel.name;
      entry.threads = kernel.threads;
      for (const ptx::Parameter &parameter : kernel.parameters)
        entry.parameters.push_back({parameter.offset, parameter.bytes});
    }
    uint64_t next = kVariables;
    for (ptx::Variable &variable : module.variables) {
      variables.push_back({variable.name, next, variable.bytes, variable.image.data(), nullptr});
      addresses.push_back(next);
      next += (variable.bytes + kVariableAlignment - 1) / kVariableAlignment * kVariableAlignment;
    }
  }

  const SimEntry *find(std::string_view name) const override {
    const auto found = std::ranges::find(entries, name, &SimEntry::name);
    return found == entries.end() ? nullptr : &*found;
  }

  Result<std::vector<SimAccess>> run(const SimEntry &entry, const SimLaunch &launch,
                                     std::span<const SimRegion> allocations) const override {
    const DeviceMemoryOf memory(allocations, variables);
    const auto *parameters = reinterpret_cast<const uint8_t *>(launch.parameters.data());
    Result<std::vector<ptx::Touched>> touched =
        ptx::launch({.kernel = module.find(entry.name),
                     .blocks = launch.blocks,
                     .parameters = {parameters, launch.parameters.size()},
                     .variables = addresses,
                     .seed = seed + launches++,
                     .stepLimit = kMostSteps},
                    memory);
    if (!touched)
      return touched.status();
    std::vector<SimAccess> accesses;
    for (const ptx::Touched &each : *touched)
      accesses.push_back({each.address, each.address + each.bytes, each.isWritten});
    return accesses;
  }

private:
  ptx::Module module;
  uint64_t seed;
  mutable std::atomic<uint64_t> launches = 0;
  std::vector<SimEntry> entries;
  std::vector<ptx::Region> variables;
  std::vector<uint64_t> addresses; ///< of the variables
};

} // namespace

SimLoader ptxLoader(uint64_t seed) {
  return [seed](std::string_view image) -> Result<std::unique_ptr<SimCode>> {
    Result<ptx::Module> module = ptx::load(image);
    if (!module)
      return module.status();
    return std::unique_ptr<SimCode>(std::make_unique<PtxCode>(module.take(), seed));
  };
}

} // namespace windlass::test
