#include "runtime/base/Hash.h"
#include "runtime/base/File.h"

// Forced inlining under a sanitizer keeps the compiler busy for many minutes.
#define XXH_NO_INLINE_HINTS 1
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <cstdio>

namespace windlass {

std::string hashOfBytes(std::string_view bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return digits;
}

Result<std::string> hashOfFile(const std::string &path) {
  Result<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.status();
  return hashOfBytes(*bytes);
}

} // namespace windlass
