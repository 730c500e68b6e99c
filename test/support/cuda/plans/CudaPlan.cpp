// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/plans/CudaPlan.h"
#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "runtime/base/PtxSymbol.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/file/KernelFiles.h"
#include "test/support/cuda/plans/CudaBuiltins.h"
#include "test/support/cuda/plans/CudaText.h"
#include <algorithm>
#include <fstream>
#include <map>

namespace windlass::test {

namespace {

/// The bytes of an operand, accessed as the kernel accesses them; null on a fault.
void *touch(SimOperands &operands, uint64_t address, int64_t bytes, plan::Access access) {
  const auto size = static_cast<uint64_t>(bytes);
  const bool isRead = plan::reads(access);
  const std::byte *from = isRead ? operands.read(address, size) : nullptr;
  if (!plan::writes(access))
    return const_cast<std::byte *>(from); // the library takes all operands as writable
  return isRead && !from ? nullptr : operands.write(address, size);
}

Result<SimHostCode::Function> multiplying(const plan::Kernel &kernel, int64_t threads) {
  Result<std::shared_ptr<const Matmul>> matmul = Matmul::create(kernel.matmul, threads);
  if (!matmul)
    return matmul.status();
  Result<MatmulCall> made = MatmulCall::create(*matmul);
  if (!made)
    return made.status();
  auto call = std::make_shared<MatmulCall>(made.take());
  std::vector<int64_t> bytes = kernel.argBytes;
  bytes.back() = (*matmul)->scratchBytes();
  return SimHostCode::Function{kernel.args.size() + 2, [=, args = kernel.args](SimOperands &operands) {
                                 std::vector<void *> near;
                                 for (size_t i = 0; i < args.size(); ++i)
                                   near.push_back(touch(operands, operands[i], bytes[i], args[i]));
                                 if (!operands.fault().isOk())
                                   return;
                                 if (Status status = call->run(near.data()); !status.isOk())
                                   operands.fail(status.message());
                               }};
}

/// Makes a kernel for each kernel that is launched on the device, and appends its PTX to `text`.
Status moveToDevice(CudaPlan &made, std::string &text) {
  plan::Plan &plan = made.plan;
  const std::vector<bool> launched = plan::launchedOn(plan, {plan::Lane::Compute});
  std::vector<int32_t> onDevice(plan.kernels.size(), -1);
  for (size_t i = 0; i < launched.size(); ++i) {
    if (!launched[i])
      continue;
    Result<SimHostCode::Function> function = multiplying(plan.kernels[i], plan.training.threadsPerRank);
    WINDLASS_TRY(function.status());
    plan::Kernel kernel = plan.kernels[i];
    kernel.kind = plan::KernelKind::Generated;
    kernel.symbol = "matmul." + std::to_string(i);
    const int64_t elements = kernel.matmul.m * kernel.matmul.n;
    kernel.phases = {{.perBlock = 1,
                      .across = (elements + kProductThreads - 1) / kProductThreads,
                      .threads = kProductThreads,
                      .sharedBytes = 0}};
    const std::string symbol = ptxSymbol(kernel.symbol, 0);
    text += productText(symbol, kernel.matmul);
    kernel.matmul = {};
    made.functions[symbol] = function.take();
    onDevice[i] = static_cast<int32_t>(plan.kernels.size());
    plan.kernels.push_back(std::move(kernel));
  }
  for (plan::Program &program : plan.programs)
    for (plan::Section &section : program.sections)
      for (plan::Instruction &instruction : section.instructions)
        if (instruction.op == plan::Opcode::Launch && instruction.lane == plan::Lane::Compute) {
          instruction.kernel = onDevice[static_cast<size_t>(instruction.kernel)];
          // The scratch, which is the same for all kernels, is an operand like the others now.
          plan.kernels[static_cast<size_t>(instruction.kernel)].argBytes.back() =
              instruction.operands.back().bytes;
        }
  return Status::ok();
}

/// The staging bytes for each other rank: few, so that sums take several chunks.
constexpr int64_t kStagedBytes = 16 << 10;

/// Gives the sums over ranks staging buffers, one for each lane, as compiled plans have them.
void stageSums(plan::Plan &plan) {
  for (plan::Program &program : plan.programs) {
    std::map<plan::Lane, uint32_t> buffers;
    const auto device = std::ranges::find(program.arenas, plan::Tier::Device, &plan::Arena::tier);
    for (plan::Section &section : program.sections)
      for (plan::Instruction &sum : section.instructions) {
        const bool isReduce = sum.op == plan::Opcode::Reduce;
        const int64_t ranks = isReduce ? plan.ranks() : plan::groupRanks(plan, sum.axes);
        if ((!isReduce && sum.op != plan::Opcode::ReduceScatter) || ranks < 2)
          continue;
        const auto [buffer, isNew] =
            buffers.try_emplace(sum.lane, static_cast<uint32_t>(program.buffers.size()));
        const int64_t bytes = (plan.ranks() - 1) * kStagedBytes;
        if (isNew) {
          const int64_t offset = (device->bytes + 255) / 256 * 256;
          program.buffers.push_back({"staging." + std::string(plan::textOf(sum.lane)),
                                     plan::BufferClass::Workspace, plan::Tier::Device, offset, bytes});
          device->capacity += offset + bytes - device->bytes;
          device->bytes = offset + bytes;
        }
        sum.operands.push_back({buffer->second, 0, bytes, {}});
        sum.staged = true;
      }
  }
}

} // namespace

Result<CudaPlan> makeCudaPlan(const plan::Plan &plan, const std::string &folder, CudaProducts products) {
  CudaPlan made{plan, folder, {}};
  made.plan.backend = "cuda";
  stageSums(made.plan);
  std::string text = ptxHead() + builtinsText();
  if (products == CudaProducts::Code)
    WINDLASS_TRY(moveToDevice(made, text));
  else
    made.plan.target = plan::multipliedByCublasLt(made.plan.target);
  addBuiltins(made.functions);
  plan::KernelFile file{"sm_80", "kernels.ptx", {}};
  std::ofstream(plan::pathOf(file, folder)) << text;
  Result<std::string> hash = hashOfFile(plan::pathOf(file, folder));
  WINDLASS_TRY(hash.status());
  file.hash = hash.take();
  made.plan.kernelFiles.push_back(std::move(file));
  return made;
}

} // namespace windlass::test
