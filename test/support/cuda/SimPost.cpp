// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/SimPost.h"
#include "test/support/cuda/SimDevice.h"
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace windlass::test {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::microseconds kGlance(300);

/// Never half there.
void writeAtOnce(const std::string &path, std::span<const std::byte> bytes) {
  {
    std::ofstream file(path + ".new", std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), std::ssize(bytes));
  }
  std::error_code gone; // with its folder, after the other rank left
  fs::rename(path + ".new", path, gone);
}

} // namespace

SimPost::SimPost(std::string given)
    : folder(std::move(given)), watcher([this](const std::stop_token &stopping) { watch(stopping); }) {
  fs::create_directories(folder);
}

SimPost::~SimPost() = default;

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
  const std::scoped_lock lock(mutex);
  watched.push_back({pathOf(letter), mark, true});
}

void SimPost::awaitTaking(const std::string &letter, const SimMarkPointer &mark) {
  const std::scoped_lock lock(mutex);
  watched.push_back({pathOf(letter), mark, false});
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
    std::vector<SimMarkPointer> done;
    {
      const std::scoped_lock lock(mutex);
      std::erase_if(watched, [&](const Watched &each) {
        std::error_code unknown;
        const bool isDone = fs::exists(each.path, unknown) == each.isToCome;
        if (isDone)
          done.push_back(each.mark);
        return isDone;
      });
    }
    for (const SimMarkPointer &mark : done)
      if (SimDevice *device = simDevice())
        device->fulfil(mark);
    std::this_thread::sleep_for(kGlance);
  }
}

} // namespace windlass::test
