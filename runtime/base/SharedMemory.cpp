// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/SharedMemory.h"

#include <atomic>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace windlass {
namespace {

/// The memory of this process that is in files, by its first byte.
struct Known {
  int64_t bytes;
  SharedPlace start;
};
std::mutex knownMutex;
std::map<const std::byte *, Known> known;

std::atomic<int64_t> viewed = 0;

} // namespace

SharedFile SharedFile::create(int64_t bytes) {
  SharedFile file;
  file.number = ::memfd_create("windlass", MFD_CLOEXEC);
  if (file.isOpen() && ::ftruncate(file.number, bytes) != 0)
    return {};
  return file;
}

bool SharedFile::mapAt(std::span<std::byte> memory) {
  struct stat about = {};
  if (::fstat(number, &about) != 0 || ::mmap(memory.data(), memory.size(), PROT_READ | PROT_WRITE,
                                             MAP_SHARED | MAP_FIXED, number, 0) == MAP_FAILED)
    return false;
  mapped = memory.data();
  std::lock_guard lock(knownMutex);
  known[mapped] = {std::ssize(memory), {about.st_ino, static_cast<uint64_t>(number), 0}};
  return true;
}

SharedPlace SharedFile::placeOf(std::span<const std::byte> bytes) {
  std::lock_guard lock(knownMutex);
  auto after = known.upper_bound(bytes.data());
  if (after == known.begin())
    return {};
  const auto &[start, file] = *std::prev(after);
  const int64_t offset = bytes.data() - start;
  if (offset + std::ssize(bytes) > file.bytes)
    return {};
  return {file.start.inode, file.start.number, static_cast<uint64_t>(offset)};
}

SharedFile::SharedFile(SharedFile &&other) noexcept { *this = std::move(other); }

SharedFile &SharedFile::operator=(SharedFile &&other) noexcept {
  std::swap(number, other.number);
  std::swap(mapped, other.mapped);
  return *this;
}

SharedFile::~SharedFile() {
  if (mapped) {
    std::lock_guard lock(knownMutex);
    known.erase(mapped);
  }
  if (isOpen())
    ::close(number);
}

SharedView::SharedView(int64_t process, const SharedPlace &place) {
  const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(place.number);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  struct stat about = {};
  const bool isIt = ::fstat(file, &about) == 0 && about.st_ino == place.inode && about.st_size > 0;
  const auto bytes = static_cast<size_t>(about.st_size);
  void *start = isIt ? ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0) : MAP_FAILED;
  ::close(file);
  if (start == MAP_FAILED)
    return;
  mapped = {static_cast<const std::byte *>(start), bytes};
  viewed += std::ssize(mapped);
}

const std::byte *SharedView::find(uint64_t offset, uint64_t bytes) const {
  return bytes <= mapped.size() && offset <= mapped.size() - bytes ? mapped.data() + offset : nullptr;
}

int64_t SharedView::bytesOfAll() { return viewed; }

SharedView::SharedView(SharedView &&other) noexcept { *this = std::move(other); }

SharedView &SharedView::operator=(SharedView &&other) noexcept {
  std::swap(mapped, other.mapped);
  return *this;
}

SharedView::~SharedView() {
  viewed -= std::ssize(mapped);
  if (!mapped.empty())
    ::munmap(const_cast<std::byte *>(mapped.data()), mapped.size());
}

} // namespace windlass
