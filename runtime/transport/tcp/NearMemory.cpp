// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/tcp/NearMemory.h"

#include "runtime/wire/Packing.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace windlass {
namespace {

/// In one call of the system.
constexpr size_t kMostPieces = 64;

std::byte *localAddress(const FarSpan &span) {
  return reinterpret_cast<std::byte *>(static_cast<uintptr_t>(span.address));
}

/// Pieces [first, first + count), of which the first `done` bytes are there.
bool copySome(pid_t process, std::span<const FarSpan> from, std::span<const std::span<std::byte>> to,
              size_t done, size_t &copied) {
  std::array<iovec, kMostPieces> remote, local;
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t skipped = i == 0 ? done : 0;
    remote[i] = {localAddress(from[i]) + skipped, static_cast<size_t>(from[i].bytes) - skipped};
    local[i] = {to[i].data() + skipped, to[i].size() - skipped};
  }
  const ssize_t got = ::process_vm_readv(process, local.data(), from.size(), remote.data(), from.size(), 0);
  copied = got > 0 ? static_cast<size_t>(got) : 0;
  return got > 0;
}

} // namespace

FarSpan shownToOthers(std::span<const std::byte> bytes) {
  return {reinterpret_cast<uintptr_t>(bytes.data()), bytes.size(), SharedFile::placeOf(bytes)};
}

const std::byte *FarMemory::find(const FarSpan &span) {
  if (process == ::getpid())
    return localAddress(span);
  if (span.place.inode == 0)
    return nullptr;
  std::lock_guard lock(mutex);
  auto known = views.find(span.place.inode);
  if (known == views.end())
    known = views.emplace(span.place.inode, SharedView(process, span.place)).first;
  return known->second.find(span.place.offset, span.bytes);
}

bool FarMemory::copy(std::span<const FarSpan> from, std::span<const std::span<std::byte>> to) {
  const auto areEqual = [](const FarSpan &there, std::span<std::byte> here) {
    return there.bytes == here.size();
  };
  if (!std::ranges::equal(from, to, areEqual))
    return false;
  if (std::ranges::all_of(from, [&](const FarSpan &span) { return find(span) != nullptr; })) {
    for (size_t i = 0; i < from.size(); ++i)
      std::memcpy(to[i].data(), find(from[i]), to[i].size());
    return true;
  }
  size_t done = 0; // of the first piece
  while (!from.empty()) {
    if (done == to.front().size()) {
      from = from.subspan(1), to = to.subspan(1), done = 0;
      continue;
    }
    const size_t count = std::min(from.size(), kMostPieces);
    size_t copied = 0;
    if (!copySome(static_cast<pid_t>(process), from.first(count), to.first(count), done, copied))
      return false;
    for (done += copied; !from.empty() && done > to.front().size();)
      done -= to.front().size(), from = from.subspan(1), to = to.subspan(1);
  }
  return true;
}

MemoryMark::MemoryMark() : secret(std::make_unique<std::byte[]>(kSecretBytes)) {
  std::random_device random;
  for (size_t i = 0; i < kSecretBytes; ++i)
    secret[i] = static_cast<std::byte>(random());
#ifdef PR_SET_PTRACER // where the system asks a process whom of its user it lets read its memory
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
#endif
}

std::string MemoryMark::text() const {
  return Packing()
      .add(static_cast<int64_t>(::getpid()))
      .add(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(secret.get())))
      .addList(std::span<const std::byte>(secret.get(), kSecretBytes))
      .take();
}

int64_t MemoryMark::readableProcess(std::string_view text) {
  Unpacking unpacking(text);
  const auto process = unpacking.get<int64_t>();
  const FarSpan from = {unpacking.get<uint64_t>(), kSecretBytes, {}};
  const std::string_view expected = unpacking.getText();
  if (!unpacking.isWhole() || expected.size() != kSecretBytes || process <= 0)
    return 0;
  // Through the system even where the number is this process's own: another host may have the same.
  std::array<std::byte, kSecretBytes> found = {};
  const std::span<std::byte> to = found;
  size_t copied = 0;
  const bool isRead = copySome(static_cast<pid_t>(process), {&from, 1}, {&to, 1}, 0, copied);
  return isRead && copied == kSecretBytes && std::memcmp(found.data(), expected.data(), kSecretBytes) == 0
             ? process
             : 0;
}

} // namespace windlass
