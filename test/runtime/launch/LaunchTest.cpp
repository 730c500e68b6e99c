// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/Launch.h"

#include <gtest/gtest.h>
#include <map>

namespace windlass {
namespace {

using Variables = std::map<std::string, std::string>;

Result<std::optional<LaunchPlace>> readWith(const Variables &variables) {
  return readLaunch([&](const char *name) -> const char * {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

LaunchPlace place(const Variables &variables) {
  Result<std::optional<LaunchPlace>> read = readWith(variables);
  EXPECT_TRUE(read.isOk()) << read.status().message();
  EXPECT_TRUE(read.isOk() && read->has_value());
  return read.isOk() && *read ? **read : LaunchPlace();
}

std::string refusal(const Variables &variables) {
  const Status status = readWith(variables).status();
  EXPECT_EQ(status.code(), ExitCode::BadInput);
  return status.message();
}

const Variables kTorch = {{"RANK", "3"},           {"WORLD_SIZE", "4"},     {"LOCAL_RANK", "1"},
                          {"MASTER_ADDR", "head"}, {"MASTER_PORT", "4711"}, {"WINDLASS_JOB_TOKEN", "secret"}};

Variables with(Variables variables, const Variables &more) {
  for (const auto &[name, value] : more)
    variables[name] = value;
  return variables;
}
Variables without(Variables variables, const std::string &name) {
  variables.erase(name);
  return variables;
}

TEST(Launch, nobodyLaunchedAProcessOfItsOwn) {
  EXPECT_FALSE(readWith({})->has_value());
  EXPECT_FALSE(readWith({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}})->has_value())
      << "a batch script is no step";
}

TEST(Launch, everyLaunchersVariables) {
  const LaunchPlace mpirun = place(
      {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "3"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}});
  EXPECT_EQ(mpirun.process, 2);
  EXPECT_EQ(mpirun.processes, 3);
  EXPECT_EQ(mpirun.localProcess, 0);
  EXPECT_TRUE(mpirun.speaksMpi && !mpirun.meeting);
  EXPECT_EQ(place({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}).launcher, "mpiexec");
  const LaunchPlace slurm =
      place(with({{"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}, {"WINDLASS_JOB_TOKEN", "s"}},
                 {{"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "6"}, {"SLURM_LOCALID", "2"}}));
  EXPECT_EQ(slurm.process, 5);
  EXPECT_EQ(slurm.localProcess, 2);
  const LaunchPlace torch = place(kTorch);
  EXPECT_EQ(torch.process, 3);
  EXPECT_EQ(torch.meeting->text(), "head:4711");
  EXPECT_EQ(torch.token, "secret");
}

/// The store of torchrun's agent listens at the named port, so that the next port is used.
TEST(Launch, torchrunsAgentKeepsItsPort) {
  EXPECT_EQ(place(with(kTorch, {{"TORCHELASTIC_USE_AGENT_STORE", "True"}})).meeting->port, 4712);
}

TEST(Launch, contradictionsNameBothVariables) {
  EXPECT_EQ(refusal(with(kTorch, {{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}})),
            "OMPI_COMM_WORLD_RANK is \"1\", but RANK is \"3\": unset what is left of another launcher");
  EXPECT_EQ(refusal(with(kTorch, {{"PMI_RANK", "3"}, {"PMI_SIZE", "8"}})),
            "PMI_SIZE is \"8\", but WORLD_SIZE is \"4\": unset what is left of another launcher");
  EXPECT_EQ(refusal(without(kTorch, "WORLD_SIZE")),
            "RANK is \"3\", but WORLD_SIZE is not set: torchrun sets both");
  EXPECT_EQ(refusal(without(kTorch, "MASTER_PORT")), "MASTER_ADDR is set, but MASTER_PORT is not");
}

/// The variables that mpirun inherits in a Slurm allocation are those of its daemon.
TEST(Launch, slurmIsNotAskedWhereMpirunSpeaks) {
  EXPECT_EQ(place({{"OMPI_COMM_WORLD_RANK", "2"},
                   {"OMPI_COMM_WORLD_SIZE", "4"},
                   {"SLURM_PROCID", "1"},
                   {"SLURM_STEP_NUM_TASKS", "2"}})
                .process,
            2);
}

TEST(Launch, numbersAreWholeAndInside) {
  EXPECT_EQ(refusal(with(kTorch, {{"RANK", "4"}})), "RANK is \"4\": must be a whole number from 0 to 3");
  EXPECT_EQ(refusal(with(kTorch, {{"RANK", "1x"}})), "RANK is \"1x\": must be a whole number from 0 to 3");
  EXPECT_EQ(refusal(with(kTorch, {{"WORLD_SIZE", "0"}})),
            "WORLD_SIZE is \"0\": must be a whole number from 1 to 65536");
  EXPECT_EQ(refusal(with(kTorch, {{"MASTER_PORT", "70000"}})),
            "MASTER_PORT is \"70000\": must be a whole number from 1 to 65535");
}

TEST(Launch, processesThatMeetNeedAPlaceAndASecret) {
  EXPECT_NE(refusal(without(kTorch, "WINDLASS_JOB_TOKEN")).find("WINDLASS_JOB_TOKEN is not set"),
            std::string::npos);
  EXPECT_NE(
      refusal(without(without(kTorch, "MASTER_ADDR"), "MASTER_PORT")).find("MASTER_ADDR and MASTER_PORT"),
      std::string::npos);
  EXPECT_EQ(place({{"RANK", "0"}, {"WORLD_SIZE", "1"}}).processes, 1) << "one process meets nobody";
}

} // namespace
} // namespace windlass
