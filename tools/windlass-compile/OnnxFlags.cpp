#include "tools/windlass-compile/OnnxFlags.h"

#include "compiler/import/onnx/LossSpec.h"

#include <CLI/CLI.hpp>

namespace windlass {

void addOnnxFlags(CLI::App &app, OnnxOptions &options) {
  const char *group = "For ONNX files (docs/models.md)";
  app.add_option_function<std::vector<std::string>>(
         "--dim",
         [&options](const std::vector<std::string> &bindings) {
           for (const std::string &binding : bindings) {
             int64_t size = 0;
             const size_t at = binding.find('=');
             const bool isNumber =
                 at != std::string::npos && at > 0 && CLI::detail::lexical_cast(binding.substr(at + 1), size);
             if (!isNumber || size < 1)
               throw CLI::ValidationError("--dim", "must be NAME=SIZE, is " + binding);
             options.dims[binding.substr(0, at)] = size;
           }
         },
         "size of a dimension that the file leaves open")
      ->type_name("NAME=SIZE")
      ->group(group);
  app.add_option("--loss", options.losses,
                 "what to minimise, where the file has no loss: cross-entropy, mse or bce-with-logits, with\n"
                 "keys behind commas; several are added (docs/onnx.md)")
      ->type_name("[WEIGHT*]LOSS[,KEY=VALUE...]")
      ->check(CLI::Validator(
          [](const std::string &text) {
            Result<LossSpec> loss = parseLoss(text);
            return loss ? std::string() : loss.status().message();
          },
          ""))
      ->group(group);
  app.add_option("--logits", options.logits, "the output it is taken of")->type_name("NAME")->group(group);
  app.add_option("--labels", options.labels, "the input it is taken with; made if the file has none")
      ->type_name("NAME")
      ->group(group);
  app.add_option_function<std::string>(
         "--tie", [&options](const std::string &word) { options.tie = word == "auto"; },
         "auto joins matrices of equal elements, off keeps them apart")
      ->type_name("auto|off")
      ->check(CLI::IsMember({"auto", "off"}))
      ->group(group);
  app.add_option(
         "--batch-norm", options.batchNorm,
         "train normalises with the batch, frozen with the running statistics; default: as the file says")
      ->type_name("train|frozen")
      ->check(CLI::IsMember({"train", "frozen"}))
      ->group(group);
  app.add_option_function<std::string>(
         "--bn-stats", [&options](const std::string &word) { options.unbiased = word == "torch"; },
         "the running variance: onnx divides by the number of elements, torch by one less")
      ->type_name("onnx|torch")
      ->check(CLI::IsMember({"onnx", "torch"}))
      ->group(group);
}

} // namespace windlass
