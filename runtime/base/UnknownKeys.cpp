// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/UnknownKeys.h"

#include "runtime/base/NearestName.h"
#include <algorithm>
#include <vector>

namespace windlass {
namespace {

constexpr size_t kLongestKey = 60; // in a message
constexpr size_t kMostTold = 20;

struct Word {
  std::string_view theirs, ours;
};

/// Of PyTorch, transformers, DeepSpeed, Lightning, torchtitan and everyday speech; of two rows for one word
/// the first whose key the file can have.
constexpr Word kForeign[] = {
    {"accumulate_grad_batches", "micro_batches"},
    {"activation_checkpointing", "recompute"},
    {"adam_beta1", "optimizer.betas"},
    {"adam_beta2", "optimizer.betas"},
    {"adam_epsilon", "optimizer.epsilon"},
    {"batch_size", "global_batch"},
    {"beta1", "optimizer.betas"},
    {"beta2", "optimizer.betas"},
    {"block_size", "sequence"},
    {"context_length", "sequence"},
    {"cpu", "host"},
    {"cpu_memory", "host.capacity"},
    {"disk", "nvme"},
    {"dtype", "precision.compute"},
    {"eps", "optimizer.epsilon"},
    {"epochs", "steps"},
    {"eval_steps", "validation.every"},
    {"gpu", "device"},
    {"gpu_memory", "device.capacity"},
    {"gpus", "parallel.data"},
    {"gpus", "ranks"},
    {"grad_clip", "clip"},
    {"gradient_accumulation_steps", "micro_batches"},
    {"gradient_checkpointing", "recompute"},
    {"gradient_clipping", "clip"},
    {"hbm", "device.capacity"},
    {"interconnect", "links.gg.bandwidth"},
    {"lr", "optimizer.learning_rate"},
    {"lr_scheduler", "schedule.type"},
    {"lr_scheduler_type", "schedule.type"},
    {"max_grad_norm", "clip"},
    {"max_iters", "steps"},
    {"max_length", "sequence"},
    {"max_seq_length", "sequence"},
    {"max_steps", "steps"},
    {"memory", "device.capacity"},
    {"micro_batch_size", "micro_batch"},
    {"min_lr", "schedule.min_ratio"},
    {"mixed_precision", "precision.compute"},
    {"network", "links.nodes.bandwidth"},
    {"num_gpus", "parallel.data"},
    {"num_gpus", "ranks"},
    {"num_steps", "steps"},
    {"num_threads", "threads_per_rank"},
    {"num_train_epochs", "steps"},
    {"nvlink", "links.gg.bandwidth"},
    {"offload_optimizer", "placement.moments"},
    {"offload_param", "placement.param"},
    {"pcie", "links.cg"},
    {"per_device_train_batch_size", "micro_batch"},
    {"ram", "host.capacity"},
    {"save_steps", "checkpoint.every"},
    {"save_total_limit", "checkpoint.keep"},
    {"scheduler", "schedule.type"},
    {"seq_len", "sequence"},
    {"seq_length", "sequence"},
    {"ssd", "nvme"},
    {"stage", "zero_stage"},
    {"threads", "threads_per_rank"},
    {"train_batch_size", "global_batch"},
    {"vram", "device.capacity"},
    {"warmup_steps", "schedule.warmup"},
    {"wd", "optimizer.weight_decay"},
    {"world_size", "parallel.data"},
    {"world_size", "ranks"},
};

std::string_view lastOf(std::string_view path) { return path.substr(path.rfind('.') + 1); }

class Search {
public:
  explicit Search(std::span<const std::string_view> known) : known(known) {}

  void walk(const nlohmann::json &object, const std::string &above) {
    for (const auto &[key, value] : object.items()) {
      const std::string path = above + key;
      if (std::find(known.begin(), known.end(), path) != known.end())
        continue;
      if (!isGroup(path))
        found.push_back(path.substr(0, above.size() + kLongestKey) + ": unknown key" + meant(above, key));
      else if (value.is_object()) // else its reader says what it must be
        walk(value, path + ".");
    }
  }

  std::vector<std::string> found; ///< messages

private:
  bool isGroup(const std::string &path) const {
    return std::any_of(known.begin(), known.end(),
                       [&](std::string_view one) { return one.starts_with(path + "."); });
  }

  std::string meant(const std::string &above, const std::string &key) const {
    std::string_view ours = elsewhere(key);
    if (ours.empty())
      ours = foreign(key);
    if (ours.empty())
      return didYouMean(key, beside(above));
    return ", did you mean \"" + std::string(ours) + "\"?";
  }

  /// The one path that ends in this key.
  std::string_view elsewhere(std::string_view key) const {
    std::string_view only;
    for (std::string_view path : known) {
      if (lastOf(path) != key || (!only.empty() && path.ends_with(only))) // a rate declared, and measured
        continue;
      if (!only.empty())
        return {};
      only = path;
    }
    return only;
  }

  std::string_view foreign(std::string_view key) const {
    for (const Word &word : kForeign)
      if (word.theirs == key && (std::find(known.begin(), known.end(), word.ours) != known.end() ||
                                 isGroup(std::string(word.ours))))
        return word.ours;
    return {};
  }

  /// The keys that the object may have.
  std::vector<std::string_view> beside(std::string_view above) const {
    std::vector<std::string_view> keys;
    for (std::string_view path : known)
      if (path.starts_with(above)) {
        const std::string_view rest = path.substr(above.size());
        keys.push_back(rest.substr(0, rest.find('.')));
        keys.push_back(rest); // some keys have dots of their own
      }
    return keys;
  }

  std::span<const std::string_view> known;
};

} // namespace

Status refuseUnknownKeys(const nlohmann::json &document, const std::string &file,
                         std::span<const std::string_view> known) {
  if (!document.is_object())
    return Status::ok();
  Search search(known);
  search.walk(document, "");
  if (search.found.empty())
    return Status::ok();
  std::string text;
  for (size_t i = 0; i < std::min(search.found.size(), kMostTold); ++i)
    text += (i ? "; " : "") + search.found[i];
  if (search.found.size() > kMostTold)
    text += "; and " + std::to_string(search.found.size() - kMostTold) + " more";
  return Status::badInput(file + ": " + text);
}

} // namespace windlass
