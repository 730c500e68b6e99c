// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/nccl/SimPost.h"
#include "test/support/cuda/SimDevice.h"
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace windlass::test {

namespace fs = std::filesystem;

namespace {

/// Writes a file that appears only when it is complete.
void writeAtOnce(const std::string &path, std::span<const std::byte> bytes) {
  {
    std::ofstream file(path + ".new", std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), std::ssize(bytes));
  }
  std::error_code gone; // the folder is gone after the other ranks have left
  fs::rename(path + ".new", path, gone);
}

} // namespace

SimPost::SimPost(std::string given)
    : folder(std::move(given)), changes(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      wakeup(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  fs::create_directories(folder);
  ::inotify_add_watch(changes, folder.c_str(), IN_MOVED_TO | IN_DELETE);
  watcher = std::jthread([this](const std::stop_token &stopping) { watch(stopping); });
}

SimPost::~SimPost() {
  watcher.request_stop();
  wake();
  watcher.join();
  ::close(changes);
  ::close(wakeup);
}

void SimPost::wake() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wakeup, &one, sizeof one);
}

void SimPost::putUpSign(int rank, const std::string &gpu) {
  writeAtOnce(signOf(static_cast<size_t>(rank)), std::as_bytes(std::span(gpu)));
}

void SimPost::takeDownSign(int rank) {
  std::error_code gone;
  fs::remove(signOf(static_cast<size_t>(rank)), gone);
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, gone))
    if (entry.path().filename().string().starts_with("rank"))
      return;
  fs::remove_all(folder, gone);
}

std::optional<std::vector<std::string>> SimPost::signs(size_t ranks) const {
  std::vector<std::string> gpus(ranks);
  for (size_t rank = 0; rank < ranks; ++rank)
    if (!(std::ifstream(signOf(rank)) >> gpus[rank]))
      return std::nullopt;
  return gpus;
}

void SimPost::send(const std::string &letter, std::span<const std::byte> bytes) {
  writeAtOnce(pathOf(letter), bytes);
}

void SimPost::awaitComing(const std::string &letter, const SimMarkPointer &mark) {
  await({pathOf(letter), mark, true});
}

void SimPost::awaitTaking(const std::string &letter, const SimMarkPointer &mark) {
  await({pathOf(letter), mark, false});
}

/// Wakes the watcher, since the awaited event may have happened already.
void SimPost::await(Watched one) {
  {
    const std::scoped_lock lock(mutex);
    watched.push_back(std::move(one));
  }
  wake();
}

std::vector<std::byte> SimPost::take(const std::string &letter) {
  std::ifstream file(pathOf(letter), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  std::error_code gone;
  fs::remove(pathOf(letter), gone);
  return {bytes.begin(), bytes.end()};
}

void SimPost::watch(const std::stop_token &stopping) {
  while (!stopping.stop_requested()) {
    for (const SimMarkPointer &mark : happened())
      if (SimDevice *device = simDevice())
        device->fulfil(mark);
    std::array<pollfd, 2> wait = {pollfd{changes, POLLIN, 0}, pollfd{wakeup, POLLIN, 0}};
    ::poll(wait.data(), wait.size(), -1);
    // Whatever changed, all awaited events are checked again.
    std::array<std::byte, 4096> events;
    for (int source : {changes, wakeup})
      while (::read(source, events.data(), events.size()) > 0)
        ;
  }
}

/// The marks of the awaited events that have happened. They are awaited no longer.
std::vector<SimMarkPointer> SimPost::happened() {
  std::vector<SimMarkPointer> marks;
  const std::scoped_lock lock(mutex);
  std::erase_if(watched, [&](const Watched &each) {
    std::error_code unknown;
    const bool isSo = fs::exists(each.path, unknown) == each.isToCome;
    if (isSo)
      marks.push_back(each.mark);
    return isSo;
  });
  return marks;
}

} // namespace windlass::test
