#include "runtime/training/TextData.h"

#include "runtime/base/Units.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <set>

namespace windlass {
namespace {

namespace fs = std::filesystem;

/// A file, or a folder's files; each once, though links may name it again.
Result<std::set<std::string>> filesOf(const std::string &path) {
  std::error_code failure;
  if (!fs::is_directory(path, failure))
    return std::set<std::string>{path};
  std::set<std::string> files;
  fs::directory_iterator entries(path, failure);
  if (failure)
    return Status::badInput(path + ": cannot list the folder: " + failure.message());
  for (; entries != fs::directory_iterator() && !failure; entries.increment(failure)) {
    std::error_code unreadable;
    const bool regular = entries->is_regular_file(unreadable);
    const fs::path file = fs::canonical(entries->path(), unreadable);
    if (regular && !unreadable)
      files.insert(file.string());
  }
  if (files.empty())
    return Status::badInput(path + ": the folder holds no files");
  return files;
}

} // namespace

Result<std::unique_ptr<DataSource>> TextData::open(const std::string &path, const plan::Plan &plan) {
  auto data = std::make_unique<TextData>();
  int64_t bound = 256;
  for (const plan::Input &input : plan.inputs) {
    if (input.role != plan::InputRole::Tokens && input.role != plan::InputRole::Labels)
      return Status::badInput(
          path + ": text cannot feed input \"" + input.name +
          "\", which is neither tokens nor labels; give a .safetensors file or \"synthetic\"");
    data->window = rowElements(input) + 1;
    bound = std::min(bound, input.bound);
  }
  WINDLASS_TRY(data->openParts(path));
  if (bound < 256)
    WINDLASS_TRY(data->checkVocabulary(bound));
  WINDLASS_TRY(data->split(data->bytes / data->window, plan.training.validationFraction, path,
                           "windows of " + std::to_string(data->window) + " bytes"));
  data->text = "text, " + formatCount(data->bytes) + " bytes in " + formatCount(std::ssize(data->parts)) +
               (data->parts.size() == 1 ? " file" : " files");
  return std::unique_ptr<DataSource>(std::move(data));
}

Status TextData::openParts(const std::string &path) {
  Result<std::set<std::string>> files = filesOf(path);
  if (!files)
    return files.status();
  for (const std::string &name : *files) {
    Result<File> file = File::openForReading(name);
    if (!file)
      return Status::badInput(file.status().message());
    std::error_code failure;
    if (!fs::is_regular_file(name, failure))
      return Status::badInput(name + ": not a regular file");
    Result<int64_t> size = file->size();
    if (!size)
      return Status::badInput(size.status().message());
    parts.push_back({file.take(), bytes, *size});
    bytes += *size;
  }
  return Status::ok();
}

Status TextData::checkVocabulary(int64_t bound) const {
  std::vector<std::byte> buffer(1 << 20);
  for (const Part &part : parts)
    for (int64_t at = 0; at < part.bytes; at += std::ssize(buffer)) {
      std::span chunk(buffer.data(),
                      static_cast<size_t>(std::min<int64_t>(part.bytes - at, std::ssize(buffer))));
      WINDLASS_TRY(part.file.readAt(at, chunk));
      for (size_t i = 0; i < chunk.size(); ++i)
        if (std::to_integer<int64_t>(chunk[i]) >= bound)
          return Status::badInput(part.file.path() + ": byte " +
                                  std::to_string(at + static_cast<int64_t>(i)) + " has value " +
                                  std::to_string(std::to_integer<int>(chunk[i])) +
                                  ", outside the vocabulary of " + std::to_string(bound));
    }
  return Status::ok();
}

Status TextData::readBytes(int64_t at, std::span<std::byte> out) const {
  auto part = std::upper_bound(parts.begin(), parts.end(), at,
                               [](int64_t position, const Part &p) { return position < p.begin; });
  for (--part; !out.empty(); ++part) {
    const int64_t inside = at - part->begin;
    const size_t count = std::min(out.size(), static_cast<size_t>(part->bytes - inside));
    WINDLASS_TRY(part->file.readAt(inside, out.first(count)));
    out = out.subspan(count);
    at += static_cast<int64_t>(count);
  }
  return Status::ok();
}

Status TextData::read(const plan::Input &input, int64_t example, std::span<std::byte> out) const {
  const int64_t shift = input.role == plan::InputRole::Labels ? 1 : 0;
  int64_t at = example * window + shift;
  std::array<std::byte, 1024> buffer;
  for (int64_t left = window - 1; left > 0;) {
    std::span chunk(buffer.data(), static_cast<size_t>(std::min<int64_t>(left, std::ssize(buffer))));
    WINDLASS_TRY(readBytes(at, chunk));
    for (std::byte value : chunk) {
      const int32_t token = std::to_integer<int32_t>(value);
      std::memcpy(out.data(), &token, sizeof token);
      out = out.subspan(sizeof token);
    }
    at += std::ssize(chunk);
    left -= std::ssize(chunk);
  }
  return Status::ok();
}

} // namespace windlass
