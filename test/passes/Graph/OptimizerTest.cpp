// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The result of apply-optimizer, compared with torch.optim.AdamW and clip_grad_norm_ in C++.

#include "test/passes/Graph/TrainingModule.h"

namespace windlass::graph {
namespace {

/// Constants in bodies are f32, and the interpreter computes in f64.
double f32(double value) { return static_cast<float>(value); }

double normOf(const Reports &gradients) {
  double sum = 0;
  for (auto &[name, gradient] : gradients)
    if (name.starts_with("gradient/"))
      for (double element : gradient.data)
        sum += element * element;
  return std::sqrt(sum);
}

bool isMatrix(const Tensor &tensor) { return tensor.shape.size() > 1; }

class Optimizer : public testing::TestWithParam<double> {};

TEST_P(Optimizer, StepsLikeTorch) {
  const double clip = GetParam();
  TrainingModule plain("differentiate");
  auto before = plain.interpret();
  Reports gradients = runStep(before, "train");

  TrainingModule trained("differentiate,apply-optimizer{weight-decay=0.1 clip=" + std::to_string(clip) + "}");
  auto after = trained.interpret();
  Reports reports = runStep(after, "train");

  const double norm = normOf(gradients);
  EXPECT_NEAR(reports.at("grad_norm").data.front(), norm, 1e-12 * norm);
  EXPECT_FALSE(reports.contains("gradient/wte"));
  const double factor = clip > 0 ? std::min(1.0, f32(clip) / (norm + f32(1e-6))) : 1.0;
  const double rate = kScalars.at("learning_rate"), correction1 = kScalars.at("bias_correction1"),
               correction2 = kScalars.at("bias_correction2");
  for (auto &[name, start] : before.states()) {
    Tensor parameter = start, momentum(start.shape), variance(start.shape);
    for (int64_t i = 0; i < start.size(); ++i) {
      double gradient = gradients.at("gradient/" + name).data[i] * factor;
      if (isMatrix(start)) // the model's group "decay"
        parameter.data[i] *= 1 - rate * f32(0.1);
      momentum.data[i] = f32(1 - 0.9) * gradient;
      variance.data[i] = f32(1 - 0.999) * gradient * gradient;
      double denominator = std::sqrt(variance.data[i]) / std::sqrt(correction2) + f32(1e-8);
      parameter.data[i] -= rate / correction1 * momentum.data[i] / denominator;
    }
    interpreter::States expected{
        {name, parameter}, {name + ".momentum", momentum}, {name + ".variance", variance}};
    interpreter::States found;
    for (auto &[state, value] : expected)
      found[state] = after.states().at(state);
    expectSame(found, expected, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Clips, Optimizer, testing::Values(0.0, 0.01, 1e6), [](const auto &info) {
  return info.param == 0 ? "none" : info.param < 1 ? "active" : "idle";
});

} // namespace
} // namespace windlass::graph
