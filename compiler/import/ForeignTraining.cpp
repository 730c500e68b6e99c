#include "compiler/import/ForeignTraining.h"

#include <string_view>

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

} // namespace

Status refuseForeign(const nlohmann::json &document, const std::string &file) {
  if (!document.is_object() || document.contains("format"))
    return Status::ok();
  std::string_view tool;
  std::string pairs;
  for (const Match &match : kMatches) {
    if (!document.contains(nlohmann::json::json_pointer(std::string(match.theirs))))
      continue;
    if (tool.empty())
      tool = match.tool;
    if (tool == match.tool)
      pairs += (pairs.empty() ? "" : ", ") + dotted(match.theirs) + " is \"" + std::string(match.ours) + "\"";
  }
  if (pairs.empty())
    return Status::ok();
  return Status::badInput(file + ": is a " + std::string(tool) + " file, not \"windlass.training/1\"; here " +
                          pairs);
}

} // namespace windlass::training
