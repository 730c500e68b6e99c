// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Safetensors.h"

#include "runtime/base/JsonReader.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

namespace windlass {
namespace {

using nlohmann::json;

constexpr int64_t kLongestHeader = 100'000'000;
constexpr int64_t kLengthBytes = 8;
constexpr int kDeepest = 3;            // header, tensor, shape
constexpr int64_t kReadBack = 1 << 20; // bytes at once

struct TensorType {
  const char *name;
  int64_t bytes;
};
constexpr std::array<TensorType, 15> kTypes = {{{"F64", 8},
                                                {"I64", 8},
                                                {"U64", 8},
                                                {"F32", 4},
                                                {"I32", 4},
                                                {"U32", 4},
                                                {"F16", 2},
                                                {"BF16", 2},
                                                {"I16", 2},
                                                {"U16", 2},
                                                {"U8", 1},
                                                {"I8", 1},
                                                {"BOOL", 1},
                                                {"F8_E5M2", 1},
                                                {"F8_E4M3", 1}}};

/// A whole number of at least 0, or -1.
int64_t wholeNumber(const json &value) {
  if (!value.is_number_unsigned() || value.get<uint64_t>() > INT64_MAX)
    return -1;
  return static_cast<int64_t>(value.get<uint64_t>());
}

/// One header entry, checked but for its place among the others.
Result<TensorEntry> readEntry(const std::string &name, const json &value) {
  TensorEntry entry;
  entry.name = name;
  if (!value.is_object() || !value.contains("dtype") || !value["dtype"].is_string())
    return Status::badInput("\"dtype\" is missing or no string");
  entry.type = value["dtype"];
  const int64_t elementBytes = tensorTypeBytes(entry.type);
  if (elementBytes == 0)
    return Status::badInput("dtype \"" + entry.type + "\" is not known");
  if (!value.contains("shape") || !value["shape"].is_array())
    return Status::badInput("\"shape\" is missing or no list");
  int64_t bytes = elementBytes;
  for (const json &extent : value["shape"]) {
    entry.shape.push_back(wholeNumber(extent));
    if (entry.shape.back() < 0 || __builtin_mul_overflow(bytes, entry.shape.back(), &bytes))
      return Status::badInput("shape " + value["shape"].dump() +
                              " is not a list of sizes whose product fits");
  }
  const json offsets = value.value("data_offsets", json());
  if (!offsets.is_array() || offsets.size() != 2 || wholeNumber(offsets[0]) < 0 ||
      wholeNumber(offsets[1]) < 0)
    return Status::badInput("\"data_offsets\" is not a list of two offsets");
  entry.begin = wholeNumber(offsets[0]);
  entry.bytes = wholeNumber(offsets[1]) - entry.begin;
  if (entry.bytes != bytes)
    return Status::badInput("data_offsets " + offsets.dump() + " span " + std::to_string(entry.bytes) +
                            " bytes, but shape " + formatShape(entry.shape) + " of " + entry.type +
                            " takes " + std::to_string(bytes));
  return entry;
}

bool isMetadata(const json &value) {
  return value.is_object() &&
         std::all_of(value.begin(), value.end(), [](const json &note) { return note.is_string(); });
}

/// Offsets must tile the buffer: from 0 to its end without hole or overlap.
Status checkTiling(const std::map<std::string, TensorEntry> &entries, int64_t bufferBytes) {
  std::vector<const TensorEntry *> inOrder;
  for (const auto &[name, entry] : entries)
    inOrder.push_back(&entry);
  std::sort(inOrder.begin(), inOrder.end(), [](const TensorEntry *a, const TensorEntry *b) {
    return std::pair(a->begin, a->bytes) < std::pair(b->begin, b->bytes);
  });
  int64_t end = 0;
  for (const TensorEntry *entry : inOrder) {
    if (entry->begin != end)
      return Status::badInput("tensor \"" + entry->name + "\": begins at byte " +
                              std::to_string(entry->begin) + ", " +
                              (entry->begin < end ? "overlapping" : "leaving a hole after") +
                              " the tensor that ends at " + std::to_string(end));
    if (entry->bytes > bufferBytes - end)
      return Status::badInput("tensor \"" + entry->name + "\": its " + std::to_string(entry->bytes) +
                              " bytes run past the end of the buffer of " + std::to_string(bufferBytes));
    end += entry->bytes;
  }
  if (end != bufferBytes)
    return Status::badInput("the tensors end at byte " + std::to_string(end) + " of a buffer of " +
                            std::to_string(bufferBytes));
  return Status::ok();
}

Result<json> parseHeader(const std::string &text) {
  Result<json> header = JsonReader::parse(text, "the header", kDeepest);
  if (header && !header->is_object())
    return Status::badInput("the header is not a JSON object");
  return header;
}

} // namespace

int64_t tensorTypeBytes(const std::string &type) {
  for (const TensorType &known : kTypes)
    if (type == known.name)
      return known.bytes;
  return 0;
}

std::string formatShape(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

bool standsBefore(const TensorEntry &a, const TensorEntry &b) {
  return std::pair(-tensorTypeBytes(a.type), a.name) < std::pair(-tensorTypeBytes(b.type), b.name);
}

Result<SafetensorsReader> SafetensorsReader::open(const std::string &path) {
  Result<File> file = File::openForReading(path);
  if (!file)
    return Status::badInput(file.status().message());
  SafetensorsReader reader(file.take());
  Result<int64_t> size = reader.file.size();
  if (!size)
    return size.status();
  uint64_t length = 0;
  if (*size < kLengthBytes)
    return Status::badInput(path + ": " + std::to_string(*size) +
                            " bytes are too few for a safetensors file");
  WINDLASS_TRY(reader.file.readAt(0, std::as_writable_bytes(std::span(&length, 1))));
  if (length > kLongestHeader || static_cast<int64_t>(length) > *size - kLengthBytes)
    return Status::badInput(path + ": header length " + std::to_string(length) + " in a file of " +
                            std::to_string(*size) + " bytes (at most " + std::to_string(kLongestHeader) +
                            ")");
  std::string text(length, ' ');
  WINDLASS_TRY(reader.file.readAt(kLengthBytes, std::as_writable_bytes(std::span(text))));
  Result<json> header = parseHeader(text);
  if (!header)
    return header.status().in(path);
  for (const auto &[name, value] : header->items()) {
    if (name == "__metadata__") {
      if (!isMetadata(value))
        return Status::badInput(path + ": \"__metadata__\" is not an object of strings");
      reader.notes = value.get<std::map<std::string, std::string>>();
      continue;
    }
    Result<TensorEntry> entry = readEntry(name, value);
    if (!entry)
      return entry.status().in(path + ": tensor \"" + name + "\"");
    reader.entries.emplace(name, entry.take());
  }
  reader.bufferStart = kLengthBytes + static_cast<int64_t>(length);
  WINDLASS_TRY(checkTiling(reader.entries, *size - reader.bufferStart).in(path));
  return reader;
}

const TensorEntry *SafetensorsReader::find(const std::string &name) const {
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

/// Gives every tensor its place, and returns the header.
std::string SafetensorsWriter::layOut(std::vector<TensorEntry> tensors,
                                      const std::map<std::string, std::string> &metadata) {
  std::sort(tensors.begin(), tensors.end(), standsBefore);
  json header = {{"__metadata__", metadata}};
  header["__metadata__"]["format"] = "pt";
  int64_t end = 0;
  for (TensorEntry &entry : tensors) {
    entry.begin = end;
    entry.bytes = entry.elements() * tensorTypeBytes(entry.type);
    end += entry.bytes;
    header[entry.name] = {
        {"dtype", entry.type}, {"shape", entry.shape}, {"data_offsets", {entry.begin, end}}};
  }
  std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  entries = std::move(tensors);
  bufferStart = kLengthBytes + static_cast<int64_t>(text.size());
  return text;
}

Result<SafetensorsWriter> SafetensorsWriter::join(const std::string &path, std::vector<TensorEntry> tensors,
                                                  const std::map<std::string, std::string> &metadata) {
  Result<File> file = File::openForWriting(path);
  if (!file)
    return file.status();
  SafetensorsWriter writer(file.take());
  writer.layOut(std::move(tensors), metadata);
  return writer;
}

Result<SafetensorsWriter> SafetensorsWriter::create(const std::string &path, std::vector<TensorEntry> tensors,
                                                    const std::map<std::string, std::string> &metadata) {
  Result<File> file = File::create(path);
  if (!file)
    return file.status();
  SafetensorsWriter writer(file.take());
  const std::string text = writer.layOut(std::move(tensors), metadata);
  const int64_t end = writer.entries.empty() ? 0 : writer.entries.back().begin + writer.entries.back().bytes;
  WINDLASS_TRY(writer.file.reserve(writer.bufferStart + end));
  const uint64_t length = text.size();
  WINDLASS_TRY(writer.append(std::as_bytes(std::span(&length, 1))));
  WINDLASS_TRY(writer.append(std::as_bytes(std::span(text))));
  return writer;
}

/// Behind all that was written in order.
Status SafetensorsWriter::append(std::span<const std::byte> in) {
  WINDLASS_TRY(file.writeAt(hashedBytes, in));
  hashed.add(in);
  hashedBytes += std::ssize(in);
  return Status::ok();
}

Status SafetensorsWriter::write(const TensorEntry &entry, int64_t at, std::span<const std::byte> in) {
  const int64_t place = bufferStart + entry.begin + at;
  return place == hashedBytes ? append(in) : file.writeAt(place, in);
}

Status SafetensorsWriter::hashUpTo(int64_t end) {
  std::vector<std::byte> buffer(static_cast<size_t>(std::clamp<int64_t>(end - hashedBytes, 0, kReadBack)));
  while (hashedBytes < end) {
    const std::span chunk =
        std::span(buffer).first(static_cast<size_t>(std::min(end - hashedBytes, kReadBack)));
    WINDLASS_TRY(file.readAt(hashedBytes, chunk));
    hashed.add(chunk);
    hashedBytes += std::ssize(chunk);
  }
  return Status::ok();
}

Status SafetensorsWriter::seal(const TensorEntry &entry) {
  return hashUpTo(bufferStart + entry.begin + entry.bytes);
}

Status SafetensorsWriter::finish() {
  if (!entries.empty())
    WINDLASS_TRY(seal(entries.back()));
  return file.sync();
}

} // namespace windlass
