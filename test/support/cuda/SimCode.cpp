// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimCode.h"
#include <algorithm>
#include <cstring>

namespace windlass::test {

uint64_t SimOperands::operator[](size_t parameter) const {
  uint64_t value = 0;
  std::memcpy(&value, launch.parameters.data() + parameter * sizeof(value), sizeof(value));
  return value;
}

const std::byte *SimOperands::read(uint64_t address, uint64_t bytes) { return touch(address, bytes, false); }
std::byte *SimOperands::write(uint64_t address, uint64_t bytes) { return touch(address, bytes, true); }

std::byte *SimOperands::touch(uint64_t address, uint64_t bytes, bool writes) {
  const auto region =
      std::ranges::find_if(memory, [&](const SimRegion &each) { return each.has(address, bytes); });
  if (region == memory.end()) {
    failure = Status::runFailed("out of bounds: " + entry.name);
    return nullptr;
  }
  if (!writes && !region->isWritten(address, bytes)) {
    failure = Status::runFailed("unwritten memory: " + entry.name + " reads bytes that nobody wrote");
    return nullptr;
  }
  if (writes)
    region->markWritten(address, bytes);
  accesses.push_back({address, address + bytes, writes});
  return region->at(address);
}

SimLoader SimHostCode::loader(Functions functions) {
  return [functions = std::move(functions)](std::string_view image) -> Result<std::unique_ptr<SimCode>> {
    auto code = std::make_unique<SimHostCode>();
    for (const auto &[name, function] : functions)
      if (image.find(".entry " + name + "(") != std::string_view::npos) {
        Held &held = code->held[name];
        held.entry.name = name;
        for (size_t i = 0; i < function.parameters; ++i)
          held.entry.parameters.push_back({i * sizeof(uint64_t), sizeof(uint64_t)});
        held.run = function.run;
      }
    if (image.find(".entry ") == std::string_view::npos)
      return Status::badInput("no kernel in the text");
    return std::unique_ptr<SimCode>(std::move(code));
  };
}

const SimEntry *SimHostCode::find(std::string_view name) const {
  const auto found = held.find(name);
  return found == held.end() ? nullptr : &found->second.entry;
}

Result<std::vector<SimAccess>> SimHostCode::run(const SimEntry &entry, const SimLaunch &launch,
                                                std::span<const SimRegion> memory) const {
  SimOperands operands(entry, launch, memory);
  held.find(entry.name)->second.run(operands);
  if (!operands.fault().isOk())
    return operands.fault();
  return operands.takeAccesses();
}

} // namespace windlass::test
