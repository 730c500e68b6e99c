// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/driver/pytorch/RoundTrip.h"
#include "test/support/Folders.h"

#include <cstdlib>
#include <cstring>
#include <sys/wait.h>

namespace windlass::test {
namespace {

/// Feeds blocks of rows of a fixture's inputs, and keeps the loss.
class RowsHost final : public StepHost {
public:
  RowsHost(const plan::Plan &plan, const Fixture &fixture) : plan(plan), fixture(fixture) {}

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    const plan::Input *input = findInput(plan, request.item);
    if (!input)
      return Status::internal("an item that evaluation needs not: " + std::string(request.item));
    const double *value = fixture.at("input/" + input->name).data.data() + block * bytes.size() / 4;
    for (; !bytes.empty(); bytes = bytes.subspan(4)) {
      const float real = static_cast<float>(*value);
      const int32_t whole = static_cast<int32_t>(*value++);
      std::memcpy(bytes.data(),
                  input->type == plan::ElementType::I32 ? static_cast<const void *>(&whole) : &real, 4);
    }
    return Status::ok();
  }
  Status report(const ItemRequest &, std::span<const std::byte> bytes) override {
    std::memcpy(&loss, bytes.data(), sizeof loss);
    return Status::ok();
  }

  size_t block = 0;
  float loss = 0;

private:
  const plan::Plan &plan;
  const Fixture &fixture;
};

} // namespace

std::string python() {
  const char *given = std::getenv("WINDLASS_PYTHON");
  return given ? given : "python3";
}

int runScript(const std::string &script, const std::vector<std::string> &arguments) {
  std::string command = python() + " " WINDLASS_SOURCE_DIR "/test/fixtures/" + script;
  for (const std::string &argument : arguments)
    command += " '" + argument + "'";
  return WEXITSTATUS(std::system(command.c_str()));
}

json sampleLogits(const plan::Plan &plan, Executor &executor, const std::vector<int32_t> &text) {
  json cases = json::array();
  SamplingHost host(plan);
  for (size_t length : {size_t{1}, text.size() / 3, text.size()}) {
    const std::vector<int32_t> tokens(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
    host.begin(tokens);
    Status status = executor.run(plan::Purpose::Sample, host);
    EXPECT_TRUE(status) << status.message();
    cases.push_back(
        {{"tokens", tokens}, {"logits", std::vector<float>(host.logits().begin(), host.logits().end())}});
  }
  return cases;
}

json evaluateRows(const plan::Plan &plan, Executor &executor, const Fixture &fixture, int64_t blocks) {
  json losses = json::array();
  for (RowsHost host(plan, fixture); host.block < static_cast<size_t>(blocks); ++host.block) {
    Status status = executor.run(plan::Purpose::Evaluate, host);
    EXPECT_TRUE(status) << status.message();
    losses.push_back(host.loss);
  }
  return losses;
}

} // namespace windlass::test
