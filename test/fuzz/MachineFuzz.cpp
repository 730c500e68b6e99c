// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A hardware file is refused with its name, or describes a machine for which plans can be made.
#include "model/Machine.h"
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace windlass;
  Result<model::Machine> machine =
      model::parseMachine({reinterpret_cast<const char *>(data), size}, "machine.json");
  if (!machine && !machine.status().message().starts_with("machine.json: "))
    std::abort();
  if (machine && (machine->ranks() < 1 || machine->capacity(plan::Tier::Device) < 0))
    std::abort();
  return 0;
}
