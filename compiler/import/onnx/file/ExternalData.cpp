// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/file/ExternalData.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

namespace windlass::onnx {
namespace {

namespace fs = std::filesystem;

Result<int64_t> number(const std::map<std::string, std::string> &keys, const std::string &key,
                       int64_t otherwise) {
  auto found = keys.find(key);
  if (found == keys.end())
    return otherwise;
  const std::string &text = found->second;
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return Status::badInput("external data: " + key + " must be a number of bytes, is \"" +
                            text.substr(0, 40) + "\"");
  return value;
}

} // namespace

Result<FileRange> resolveExternal(const std::string &model, const std::map<std::string, std::string> &keys,
                                  int64_t bytes) {
  auto location = keys.find("location");
  if (location == keys.end() || location->second.empty())
    return Status::badInput("external data: has no location");
  const fs::path relative(location->second);
  const std::string quoted = "\"" + location->second.substr(0, 200) + "\"";
  if (relative.is_absolute() || std::ranges::find(relative, fs::path("..")) != relative.end())
    return Status::badInput("external data: location must stay in the model's folder, is " + quoted);
  Result<int64_t> offset = number(keys, "offset", 0), length = number(keys, "length", bytes);
  if (!offset || !length)
    return offset ? length.status() : offset.status();
  if (*length != bytes)
    return Status::badInput("external data: length must be " + std::to_string(bytes) +
                            " as type and shape say, is " + std::to_string(*length));
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(model).parent_path(), error);
  const fs::path file = fs::canonical(folder / relative, error);
  if (error || !fs::is_regular_file(file, error))
    return Status::badInput("external data: " + quoted +
                            " must be a file beside the model, and is not there");
  if (const fs::path inside = file.lexically_relative(folder); inside.empty() || *inside.begin() == "..")
    return Status::badInput("external data: " + quoted + " is a link out of the model's folder");
  const uintmax_t size = fs::file_size(file, error);
  if (error || static_cast<uintmax_t>(*offset) > size || static_cast<uintmax_t>(bytes) > size - *offset)
    return Status::badInput("external data: bytes " + std::to_string(*offset) + " to " +
                            std::to_string(*offset + bytes) + " of " + quoted + " are beyond its end at " +
                            std::to_string(size));
  return FileRange{file.string(), *offset};
}

} // namespace windlass::onnx
