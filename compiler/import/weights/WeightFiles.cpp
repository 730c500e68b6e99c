// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/weights/WeightFiles.h"

#include "runtime/base/File.h"
#include "runtime/base/JsonReader.h"
#include <filesystem>
#include <set>

namespace windlass {
namespace {

namespace fs = std::filesystem;

constexpr const char *kWhole = "model.safetensors";
constexpr const char *kIndex = "model.safetensors.index.json";

/// The shard of every tensor, from an index.
Result<std::map<std::string, std::string>> readIndex(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.status();
  Result<nlohmann::json> document = JsonReader::parse(*text, path);
  if (!document)
    return document.status();
  Status failure;
  JsonReader index(*document, path, failure);
  JsonReader map = index.at("weight_map");
  std::map<std::string, std::string> shards;
  for (const std::string &tensor : map.keys()) {
    const std::string shard = map.at(tensor).text();
    if (failure && (shard.empty() || shard == ".." || shard.find('/') != std::string::npos))
      map.at(tensor).failRule("must name a file beside the index");
    shards.emplace(tensor, shard);
  }
  if (!failure)
    return failure;
  return shards;
}

} // namespace

std::string WeightFiles::inFolder(const std::string &folder) {
  std::error_code ignored;
  for (const char *name : {kWhole, kIndex})
    if (fs::path file = fs::path(folder) / name; fs::exists(file, ignored))
      return file.string();
  return "";
}

Result<WeightFiles> WeightFiles::open(const std::string &path) {
  std::error_code ignored;
  std::string file = path;
  if (fs::is_directory(path, ignored) && (file = inFolder(path)).empty())
    return Status::badInput(path + ": holds neither " + kWhole + " nor " + kIndex);
  WeightFiles files;
  WINDLASS_TRY(fs::path(file).extension() == ".json" ? files.addIndexed(file) : files.add(file));
  return files;
}

Status WeightFiles::add(const std::string &path) {
  // Absolute, since the plan runs in another folder. Links are kept, since users know their names.
  Result<SafetensorsReader> opened = SafetensorsReader::open(fs::absolute(path).lexically_normal().string());
  if (!opened)
    return opened.status();
  files.push_back(std::make_unique<SafetensorsReader>(opened.take()));
  const SafetensorsReader &file = *files.back();
  for (const auto &[name, entry] : file.tensors())
    if (auto [other, fresh] = byName.emplace(name, Tensor{&file, &entry}); !fresh)
      return Status::badInput(file.path() + ": tensor \"" + name + "\" stands in " +
                              other->second.file->path() + ", too");
  return Status::ok();
}

Status WeightFiles::addIndexed(const std::string &index) {
  Result<std::map<std::string, std::string>> shards = readIndex(index);
  if (!shards)
    return shards.status();
  std::set<std::string> names;
  for (const auto &[tensor, shard] : *shards)
    if (names.insert(shard).second)
      WINDLASS_TRY(add((fs::path(index).parent_path() / shard).string()).in(index));
  for (const auto &[tensor, shard] : *shards) {
    auto found = byName.find(tensor);
    if (found == byName.end() || fs::path(found->second.file->path()).filename() != shard)
      return Status::badInput(index + ": weight_map: tensor \"" + tensor + "\" is not in \"" + shard + "\"");
  }
  return Status::ok();
}

} // namespace windlass
