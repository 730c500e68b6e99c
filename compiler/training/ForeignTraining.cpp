// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/training/ForeignTraining.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace windlass::training {
namespace {

struct Match {
  std::string_view tool, theirs, ours; ///< theirs: a JSON pointer
};

constexpr Match kMatches[] = {
    {"DeepSpeed", "/train_batch_size", "global_batch"},
    {"DeepSpeed", "/train_micro_batch_size_per_gpu", "micro_batch"},
    {"DeepSpeed", "/gradient_accumulation_steps", "micro_batches"},
    {"DeepSpeed", "/gradient_clipping", "clip"},
    {"DeepSpeed", "/zero_optimization/stage", "zero_stage"},
    {"DeepSpeed", "/zero_optimization/mics_shard_size", "parallel.shard"},
    {"DeepSpeed", "/zero_optimization/zero_hpz_partition_size",
     "parallel.shard with parallel.optimizer_shard \"all\""},
    {"DeepSpeed", "/zero_optimization/offload_optimizer", "placement.moments"},
    {"DeepSpeed", "/zero_optimization/offload_param", "placement.param"},
    {"DeepSpeed", "/zero_optimization/overlap_comm", "overlap"},
    {"DeepSpeed", "/zero_optimization/reduce_bucket_size", "bucket"},
    {"DeepSpeed", "/bf16", "precision.compute"},
    {"DeepSpeed", "/fp16", "precision.compute"},
    {"DeepSpeed", "/fp16/loss_scale", "precision.loss_scale"},
    {"DeepSpeed", "/fp16/initial_scale_power", "precision.initial_loss_scale"},
    {"DeepSpeed", "/fp16/loss_scale_window", "precision.loss_scale_window"},
    {"DeepSpeed", "/fp16/min_loss_scale", "precision.min_loss_scale"},
    {"DeepSpeed", "/optimizer/params", "optimizer"},
    {"Hugging Face TrainingArguments", "/per_device_train_batch_size", "micro_batch"},
    {"Hugging Face TrainingArguments", "/gradient_accumulation_steps", "micro_batches"},
    {"Hugging Face TrainingArguments", "/learning_rate", "optimizer.learning_rate"},
    {"Hugging Face TrainingArguments", "/weight_decay", "optimizer.weight_decay"},
    {"Hugging Face TrainingArguments", "/adam_beta1", "optimizer.betas"},
    {"Hugging Face TrainingArguments", "/adam_beta2", "optimizer.betas"},
    {"Hugging Face TrainingArguments", "/adam_epsilon", "optimizer.epsilon"},
    {"Hugging Face TrainingArguments", "/max_grad_norm", "clip"},
    {"Hugging Face TrainingArguments", "/max_steps", "steps"},
    {"Hugging Face TrainingArguments", "/lr_scheduler_type", "schedule.type"},
    {"Hugging Face TrainingArguments", "/warmup_steps", "schedule.warmup"},
    {"Hugging Face TrainingArguments", "/bf16", "precision.compute"},
    {"Hugging Face TrainingArguments", "/fp16", "precision.compute"},
    {"Hugging Face TrainingArguments", "/gradient_checkpointing", "recompute"},
    {"Hugging Face TrainingArguments", "/save_steps", "checkpoint.every"},
    {"Hugging Face TrainingArguments", "/save_total_limit", "checkpoint.keep"},
    {"Hugging Face TrainingArguments", "/eval_steps", "validation.every"},
    {"torchtitan", "/training/local_batch_size", "micro_batch"},
    {"torchtitan", "/training/global_batch_size", "global_batch"},
    {"torchtitan", "/training/seq_len", "sequence"},
    {"torchtitan", "/training/steps", "steps"},
    {"torchtitan", "/training/max_norm", "clip"},
    {"torchtitan", "/parallelism/data_parallel_shard_degree", "parallel.shard with zero_stage 3"},
    {"torchtitan", "/parallelism/data_parallel_replicate_degree", "parallel.data over parallel.shard"},
    {"torchtitan", "/optimizer/lr", "optimizer.learning_rate"},
    {"torchtitan", "/lr_scheduler/warmup_steps", "schedule.warmup"},
    {"torchtitan", "/activation_checkpoint/mode", "recompute"},
    {"torchtitan", "/checkpoint/interval", "checkpoint.every"},
};

/// "zero_optimization.stage" of "/zero_optimization/stage".
std::string dotted(std::string_view pointer) {
  std::string text(pointer.substr(1));
  for (char &letter : text)
    if (letter == '/')
      letter = '.';
  return text;
}

/// The entries of the table whose keys the document has.
std::vector<Match> matchesIn(const nlohmann::json &document) {
  std::vector<Match> found;
  for (const Match &match : kMatches)
    if (document.contains(nlohmann::json::json_pointer(std::string(match.theirs))))
      found.push_back(match);
  return found;
}

/// The tool with the most keys, since tools share some; of equal ones, the first of the table.
std::string_view toolOf(const std::vector<Match> &matches) {
  std::string_view most;
  std::map<std::string_view, size_t> keys;
  for (const Match &match : matches)
    ++keys[match.tool];
  for (const Match &match : matches)
    if (most.empty() || keys[match.tool] > keys[most])
      most = match.tool;
  return most;
}

} // namespace

Status refuseForeign(const nlohmann::json &document, const std::string &file) {
  if (!document.is_object() || document.contains("format"))
    return Status::ok();
  const std::vector<Match> matches = matchesIn(document);
  const std::string_view tool = toolOf(matches);
  if (matches.empty())
    return Status::ok();
  std::string pairs;
  for (const Match &match : matches)
    if (match.tool == tool)
      pairs += (pairs.empty() ? "" : ", ") + dotted(match.theirs) + " is \"" + std::string(match.ours) + "\"";
  return Status::badInput(file + ": is a " + std::string(tool) + " file, not \"windlass.training/1\"; here " +
                          pairs);
}

} // namespace windlass::training
