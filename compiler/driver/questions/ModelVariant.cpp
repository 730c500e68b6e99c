// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/questions/ModelVariant.h"

#include "compiler/import/huggingface/HuggingFace.h"
#include "runtime/base/File.h"
#include "runtime/base/JsonReader.h"
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace windlass {

namespace fs = std::filesystem;

namespace {

/// transformers' two names of a size; if a file has both, the first counts.
using Names = std::array<const char *, 2>;
constexpr Names kLayers = {"num_hidden_layers", "n_layer"}, kHidden = {"hidden_size", "n_embd"},
                kHeads = {"num_attention_heads", "n_head"}, kInner = {"intermediate_size", "n_inner"};
constexpr const char *kKeyHeads = "num_key_value_heads", *kTypes = "layer_types";

bool isNumber(const nlohmann::json &config, const char *key) {
  return config.contains(key) && config[key].is_number_integer() && config[key] > 0;
}

const char *nameIn(const nlohmann::json &config, const Names &names) {
  return names[isNumber(config, names[0]) ? 0 : 1];
}

int64_t sizeIn(const nlohmann::json &config, const Names &names) {
  return config[nameIn(config, names)].get<int64_t>();
}

/// The size of a head.
int64_t headSize(const nlohmann::json &config) {
  return std::max<int64_t>(1, sizeIn(config, kHidden) / sizeIn(config, kHeads));
}

/// The length of the shortest pattern that, repeated, makes the list; the last one may be cut short.
size_t periodOf(const nlohmann::json &list) {
  size_t period = 1;
  const auto repeats = [&] {
    for (size_t i = period; i < list.size(); ++i)
      if (list[i] != list[i - period])
        return false;
    return true;
  };
  while (!repeats())
    ++period;
  return period;
}

/// The list with `size` elements, by its pattern.
nlohmann::json resized(const nlohmann::json &list, size_t size) {
  const size_t period = periodOf(list);
  nlohmann::json other = nlohmann::json::array();
  for (size_t i = 0; i < size; ++i)
    other.push_back(list[i % period]);
  return other;
}

} // namespace

Result<ModelVariant> ModelVariant::of(const std::string &model) {
  std::error_code ignored;
  const fs::path file = fs::is_directory(model, ignored) ? fs::path(model) / "config.json" : fs::path(model);
  if (file.filename() != "config.json")
    return Status::badInput(model +
                            ": must be a folder with config.json, or that file: other models say their "
                            "sizes in too many places to be given others");
  Result<std::string> text = readFile(file.string());
  if (!text)
    return text.status();
  Result<nlohmann::json> config = JsonReader::parse(*text, file.string());
  if (!config)
    return config.status();
  for (const auto &keys : {kLayers, kHidden, kHeads})
    if (!isNumber(*config, keys[0]) && !isNumber(*config, keys[1]))
      return Status::badInput(file.string() + ": must have " + keys[0] + " or " + keys[1] +
                              ", to be given other sizes");
  writeFixedSizes(*config); // a size that is left out could not grow
  return ModelVariant(config.take(), fs::absolute(file).lexically_normal().parent_path().filename().string());
}

ModelVariant::ModelVariant(ModelVariant &&other) noexcept
    : config(std::move(other.config)), name(std::move(other.name)),
      folder(std::exchange(other.folder, std::string())) {}

ModelVariant::~ModelVariant() {
  std::error_code ignored;
  if (!folder.empty())
    fs::remove_all(folder, ignored);
}

int64_t ModelVariant::layers() const { return sizeIn(config, kLayers); }
int64_t ModelVariant::hidden() const { return sizeIn(config, kHidden); }

int64_t ModelVariant::hiddenUnit() const {
  const int64_t heads = sizeIn(config, kHeads), size = headSize(config);
  const bool sharesKeys = isNumber(config, kKeyHeads) && config[kKeyHeads] != heads;
  return sharesKeys ? size * config[kKeyHeads].get<int64_t>() : size;
}

Result<std::string> ModelVariant::withLayers(int64_t wanted) {
  nlohmann::json changed = config;
  changed[nameIn(config, kLayers)] = wanted;
  // A list of another length is left for the import to refuse.
  const auto types = config.find(kTypes);
  if (types != config.end() && types->is_array() && std::cmp_equal(types->size(), layers()))
    changed[kTypes] = resized(*types, static_cast<size_t>(wanted));
  return write(changed);
}

Result<std::string> ModelVariant::withHidden(int64_t wanted) {
  nlohmann::json changed = config;
  const int64_t heads = wanted / headSize(config);
  changed[nameIn(config, kHidden)] = wanted;
  changed[nameIn(config, kHeads)] = heads;
  if (isNumber(config, kKeyHeads) && config[kKeyHeads] == sizeIn(config, kHeads))
    changed[kKeyHeads] = heads;
  for (const char *inner : kInner)
    if (isNumber(config, inner))
      changed[inner] = config[inner].get<int64_t>() * wanted / hidden();
  return write(changed);
}

Result<std::string> ModelVariant::write(const nlohmann::json &changed) {
  if (folder.empty()) {
    std::string pattern = (fs::temp_directory_path() / "windlass-variant-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      return Status::badInput(pattern + ": cannot make a folder for a model of another size");
    folder = pattern;
  }
  std::error_code failure;
  const fs::path here = fs::path(folder) / name;
  fs::create_directories(here, failure);
  const std::string file = (here / "config.json").string();
  WINDLASS_TRY(writeFileAtomically(file, changed.dump(2) + "\n"));
  return file;
}

} // namespace windlass
