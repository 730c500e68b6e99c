// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/TokenFile.h"

#include "runtime/base/NpyHeader.h"
#include "runtime/training/data/ForeignFile.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

namespace windlass {
namespace {

/// The first of llm.c's 256 numbers, and what the tokens behind them are.
struct LlmcFormat {
  int32_t magic, version;
  int64_t width;
};
constexpr LlmcFormat kLlmc[] = {{20240520, 1, 2}, {20240801, 7, 4}};
constexpr int32_t kLlmcEvaluation = 20240522;
constexpr int64_t kLlmcHeader = 256 * sizeof(int32_t);

/// A whole number of `bytes` bytes, little-endian.
int64_t wholeNumber(const std::byte *from, int64_t bytes, bool isSigned) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(bytes));
  if (isSigned && bytes < 8 && bits >> (8 * bytes - 1) != 0)
    bits |= ~uint64_t{0} << (8 * bytes);
  return static_cast<int64_t>(bits); // beyond 2^63: negative, and outside of every vocabulary
}

} // namespace

Result<TokenFile> TokenFile::open(const std::string &path, const std::string &type) {
  Result<File> file = File::openForReading(path);
  if (!file)
    return Status::badInput(file.status().message());
  Result<int64_t> bytes = file->size();
  if (!bytes)
    return Status::badInput(bytes.status().message());
  TokenFile tokens(file.take());
  if (path.ends_with(".npy"))
    WINDLASS_TRY(tokens.readNpy(*bytes));
  else if (path.ends_with(".bin"))
    WINDLASS_TRY(tokens.readHeader(type, *bytes));
  else
    WINDLASS_TRY(tokens.readText());
  if (tokens.count == 0)
    WINDLASS_TRY(tokens.countTokens(*bytes));
  return tokens;
}

Status TokenFile::readText() {
  text = true;
  return refuseForeign(file);
}

Status TokenFile::readHeader(const std::string &type, int64_t bytes) {
  width = type == "u8" ? 1 : type == "u32" ? 4 : 2;
  std::array<int32_t, 3> start = {};
  if (bytes < static_cast<int64_t>(sizeof start))
    return Status::ok();
  WINDLASS_TRY(file.readAt(0, std::as_writable_bytes(std::span(start))));
  const auto [magic, version, tokens] = start;
  if (magic == kLlmcEvaluation)
    return Status::badInput(path() + ": is an evaluation set of llm.c, whose examples are no plain tokens");
  const LlmcFormat *format = std::find_if(std::begin(kLlmc), std::end(kLlmc),
                                          [&](const LlmcFormat &known) { return known.magic == magic; });
  if (format == std::end(kLlmc))
    return Status::ok();
  if (version != format->version)
    return Status::badInput(path() + ": has llm.c's magic number " + std::to_string(magic) +
                            " with version " + std::to_string(version) + ", not " +
                            std::to_string(format->version));
  width = format->width;
  begin = kLlmcHeader;
  count = tokens;
  if (tokens < 1 || bytes != begin + count * width)
    return Status::badInput(path() + ": its header says " + std::to_string(tokens) + " tokens of " +
                            std::to_string(width) + " bytes, but the file has " + std::to_string(bytes) +
                            " bytes, not " + std::to_string(begin + std::max<int64_t>(count, 0) * width));
  return Status::ok();
}

Status TokenFile::readNpy(int64_t bytes) {
  Result<NpyHeader> header = readNpyHeader(file);
  if (!header)
    return header.status();
  const std::string &type = header->type;
  const bool isWhole = type.size() == 3 && (type[0] == '<' || (type[0] == '|' && type[2] == '1')) &&
                       (type[1] == 'u' || type[1] == 'i') && std::strchr("1248", type[2]);
  if (!isWhole)
    return Status::badInput(path() + ": holds elements of '" + type +
                            "', not little-endian whole numbers ('<u2', '<i4', ...)");
  if (header->fortranOrder && header->shape.size() > 1)
    return Status::badInput(path() + ": is in Fortran order; save numpy.ascontiguousarray(...) instead");
  if (header->shape.empty() || header->shape.size() > 2)
    return Status::badInput(path() + ": has " + std::to_string(header->shape.size()) +
                            " dimensions; tokens are a list, or rows of one example each");
  width = type[2] - '0';
  isSigned = type[1] == 'i';
  begin = header->dataBegin;
  row = header->shape.size() == 2 ? header->shape[1] : 0;
  if (__builtin_mul_overflow(header->shape[0], header->shape.size() == 2 ? row : 1, &count) ||
      count > (bytes - begin) / width || bytes != begin + count * width)
    return Status::badInput(path() + ": its shape takes another number of elements of " +
                            std::to_string(width) + " bytes than the " + std::to_string(bytes - begin) +
                            " bytes after its header");
  return Status::ok();
}

/// All of a file without a header.
Status TokenFile::countTokens(int64_t bytes) {
  if ((bytes - begin) % width != 0)
    return Status::badInput(path() + ": ends in the middle of a token: " + std::to_string(bytes) +
                            " bytes are no multiple of " + std::to_string(width));
  count = (bytes - begin) / width;
  return Status::ok();
}

Status TokenFile::read(int64_t first, int64_t bound, std::span<int32_t> out) const {
  std::array<std::byte, 4096> buffer;
  while (!out.empty()) {
    const size_t some = std::min(out.size(), buffer.size() / static_cast<size_t>(width));
    WINDLASS_TRY(
        file.readAt(begin + first * width, std::span(buffer).first(some * static_cast<size_t>(width))));
    for (size_t i = 0; i < some; ++i) {
      const int64_t token = wholeNumber(buffer.data() + i * static_cast<size_t>(width), width, isSigned);
      if (token < 0 || token >= bound)
        return Status::badInput(
            path() + ": " + (text ? "byte " : "token ") + std::to_string(first + static_cast<int64_t>(i)) +
            " has value " + std::to_string(token) + ", outside the vocabulary of " + std::to_string(bound));
      out[i] = static_cast<int32_t>(token);
    }
    out = out.subspan(some);
    first += static_cast<int64_t>(some);
  }
  return Status::ok();
}

} // namespace windlass
