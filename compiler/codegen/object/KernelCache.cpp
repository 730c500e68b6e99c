// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/object/KernelCache.h"

namespace windlass::codegen {

std::string KernelCache::find(const std::string &key) {
  std::lock_guard lock(mutex);
  const auto object = objects.find(key);
  if (object == objects.end())
    return "";
  ++found;
  return object->second;
}

void KernelCache::keep(const std::string &key, const std::string &object) {
  std::lock_guard lock(mutex);
  objects.emplace(key, object);
}

int64_t KernelCache::hits() const {
  std::lock_guard lock(mutex);
  return found;
}

} // namespace windlass::codegen
