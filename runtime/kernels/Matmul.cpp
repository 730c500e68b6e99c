// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernels/Matmul.h"
#include "runtime/kernels/InstructionSet.h"
#include "runtime/kernels/LibraryThreads.h"
#include "runtime/kernels/MatmulParts.h"
#include "runtime/kernels/OperandPanels.h"
#include "runtime/kernels/Scratch.h"
#include "runtime/plan/Enums.h"
#include <array>
#include <oneapi/dnnl/dnnl.h>

namespace windlass {

std::string describe(const plan::MatmulSpec &spec) {
  auto extents = [](int64_t rows, int64_t columns) {
    return std::to_string(rows) + "x" + std::to_string(columns);
  };
  auto type = [](plan::ElementType t) { return std::string(plan::textOf(t)); };
  std::string text = type(spec.c) + " " + extents(spec.m, spec.n) + " = " + type(spec.a) + " " +
                     extents(spec.m, spec.k) + " * " + type(spec.b) + " " + extents(spec.k, spec.n);
  if (spec.batch != 1)
    text += ", batch " + std::to_string(spec.batch);
  if (spec.transposeA)
    text += ", a transposed";
  if (spec.transposeB)
    text += ", b transposed";
  if (spec.accumulate)
    text += ", accumulated";
  return text;
}

namespace {

/// Keeps the library on the calling thread, and puts back what was set.
class OneThread {
public:
  OneThread() : before(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before); }
  OneThread(const OneThread &) = delete;

private:
  int before;
};

dnnl_data_type_t libraryType(plan::ElementType type) {
  switch (type) {
  case plan::ElementType::F32:
    return dnnl_f32;
  case plan::ElementType::BF16:
    return dnnl_bf16;
  case plan::ElementType::F16:
    return dnnl_f16;
  case plan::ElementType::I32:
    return dnnl_s32;
  case plan::ElementType::F64:
    break;
  }
  return dnnl_data_type_undef;
}

int64_t bytesAt(int64_t element, plan::ElementType type) { return element * plan::bytesOf(type); }

/// A row-major batch of matrices, seen as rows x columns whether or not it is stored transposed, in which
/// stored rows begin `leading` elements apart.
dnnl_status_t describeMatrix(dnnl_memory_desc_t &desc, int64_t batch, int64_t rows, int64_t columns,
                             bool transposed, int64_t leading, plan::ElementType type) {
  dnnl_dims_t dims = {batch, rows, columns};
  dnnl_dims_t strides = {rows * columns, transposed ? 1 : leading, transposed ? leading : 1};
  bool flat = batch == 1; // two dimensions have the faster kernels
  return dnnl_memory_desc_init_by_strides(&desc, flat ? 2 : 3, dims + flat, libraryType(type),
                                          strides + flat);
}

dnnl_engine_t cpuEngine() {
  static const dnnl_engine_t engine = [] {
    dnnl_engine_t made = nullptr;
    dnnl_engine_create(&made, dnnl_cpu, 0);
    return made;
  }();
  return engine;
}

} // namespace

struct Matmul::Part {
  Part(const MatmulPart &cut, bool readsInPlace)
      : cut(cut), panels(readsInPlace ? OperandPanels::of(cut) : std::nullopt) {}
  ~Part() {
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(description);
    dnnl_primitive_attr_destroy(attributes);
  }

  dnnl_status_t create() {
    plan::MatmulSpec spec = cut.spec;
    int64_t leadingA = cut.leadingA, leadingB = spec.transposeB ? spec.k : spec.n;
    const int64_t leadingC = spec.n;
    if (panels) {
      (panels->ofA ? spec.m : spec.n) = OperandPanels::kColumns;
      (panels->ofA ? leadingA : leadingB) = OperandPanels::kLeading;
    }
    dnnl_matmul_desc_t operation;
    dnnl_post_ops_t after = nullptr;
    dnnl_status_t status = describeMatrix(a, spec.batch, spec.m, spec.k, spec.transposeA, leadingA, spec.a);
    auto then = [&](auto step) { status = status == dnnl_success ? step() : status; };
    then([&] { return describeMatrix(b, spec.batch, spec.k, spec.n, spec.transposeB, leadingB, spec.b); });
    then([&] { return describeMatrix(c, spec.batch, spec.m, spec.n, false, leadingC, spec.c); });
    then([&] { return dnnl_matmul_desc_init(&operation, &a, &b, nullptr, &c); });
    then([&] { return dnnl_primitive_attr_create(&attributes); });
    then([&] { return dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user); });
    then([&] { return dnnl_post_ops_create(&after); });
    if (spec.accumulate)
      then([&] { return dnnl_post_ops_append_sum(after, 1.0f); });
    then([&] { return dnnl_primitive_attr_set_post_ops(attributes, after); });
    then([&] {
      return dnnl_primitive_desc_create(&description, &operation, attributes, cpuEngine(), nullptr);
    });
    then([&] { return dnnl_primitive_create(&primitive, description); });
    dnnl_post_ops_destroy(after);
    return status;
  }

  const dnnl_memory_desc_t *scratch() const {
    return dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
  }

  int64_t libraryScratchBytes() const {
    const dnnl_memory_desc_t *desc = scratch();
    return desc ? static_cast<int64_t>(dnnl_memory_desc_get_size(desc)) : 0;
  }

  /// The library's, then a panel.
  int64_t scratchBytes() const {
    return alignedScratch(libraryScratchBytes()) + (panels ? panels->scratchBytes() : 0);
  }

  MatmulPart cut;
  std::optional<OperandPanels> panels; ///< multiplied one by one; none: the operands as they are
  int64_t atScratch = 0;               ///< bytes
  dnnl_memory_desc_t a, b, c;
  dnnl_primitive_attr_t attributes = nullptr;
  dnnl_primitive_desc_t description = nullptr;
  dnnl_primitive_t primitive = nullptr;
};

Matmul::Matmul() = default;
Matmul::~Matmul() = default;

bool hasNativeBf16() {
  return (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core_bf16) == dnnl_cpu_isa_avx512_core_bf16;
}

bool readsOperandsInPlace() { return libraryInstructionSet().starts_with("avx2"); }

Result<std::shared_ptr<const Matmul>> Matmul::create(const plan::MatmulSpec &spec, int64_t threads,
                                                     const LibraryTraits &library) {
  if (spec.pitchA > 0 || spec.pitchB > 0 || spec.pitchC > 0)
    return Status::cannotFit(
        "matmul '" + describe(spec) +
        "' has rows that do not lie back to back, as a processor's library is given them");
  OneThread alone; // a primitive is cut for the threads it was made with
  std::shared_ptr<Matmul> matmul(new Matmul);
  const bool widens = WidenedMatmul::isNeeded(spec, library.nativeBf16);
  for (const MatmulPart &cut : cutMatmul(widens ? WidenedMatmul::widened(spec) : spec, threads)) {
    Part &part = *matmul->parts.emplace_back(std::make_unique<Part>(cut, library.readsInPlace));
    if (dnnl_status_t status = part.create(); status != dnnl_success)
      return Status::cannotFit(
          "matmul '" + describe(spec) + "' cannot run here: oneDNN says " +
          (status == dnnl_unimplemented ? "unimplemented" : "status " + std::to_string(status)));
    part.atScratch = matmul->partsScratch;
    matmul->partsScratch += part.scratchBytes();
  }
  if (widens)
    matmul->widened.emplace(spec, matmul->partsScratch);
  return std::shared_ptr<const Matmul>(std::move(matmul));
}

int64_t Matmul::scratchBytes() const { return widened ? widened->scratchBytes() : partsScratch; }

/// One part, and the handles through which the library finds its operands.
struct MatmulCall::Bound {
  static constexpr size_t kA = 0, kB = 1, kC = 2, kScratch = 3;
  using Handles = std::array<std::byte *, 4>;

  explicit Bound(const Matmul::Part &part) : part(part) {}
  ~Bound() {
    for (dnnl_exec_arg_t &argument : arguments)
      dnnl_memory_destroy(argument.memory);
    dnnl_stream_destroy(stream);
  }

  bool create() {
    bool made = add(DNNL_ARG_SRC, &part.a) && add(DNNL_ARG_WEIGHTS, &part.b) && add(DNNL_ARG_DST, &part.c) &&
                dnnl_stream_create(&stream, cpuEngine(), dnnl_stream_default_flags) == dnnl_success;
    return made && (part.libraryScratchBytes() == 0 || add(DNNL_ARG_SCRATCHPAD, part.scratch()));
  }

  bool add(int name, const dnnl_memory_desc_t *desc) {
    dnnl_exec_arg_t &argument = arguments[count++];
    argument.arg = name;
    return dnnl_memory_create(&argument.memory, desc, cpuEngine(), nullptr) == dnnl_success;
  }

  void run(void *const *args) {
    omp_set_num_threads(1); // of the calling thread alone
    const MatmulPart &cut = part.cut;
    const int64_t at[] = {bytesAt(cut.atA, cut.spec.a), bytesAt(cut.atB, cut.spec.b),
                          bytesAt(cut.atC, cut.spec.c), part.atScratch};
    Handles handles = {};
    for (size_t i = 0; i < (part.scratchBytes() > 0 ? 4 : 3); ++i)
      handles[i] = static_cast<std::byte *>(args[i]) + at[i];
    part.panels ? runPanels(*part.panels, handles) : execute(handles);
  }

  void runPanels(const OperandPanels &panels, Handles handles) {
    const size_t copied = panels.ofA ? kA : kB;
    const auto *operand = reinterpret_cast<const float *>(handles[copied]);
    auto *panel = reinterpret_cast<float *>(handles[kScratch] + alignedScratch(part.libraryScratchBytes()));
    handles[copied] = reinterpret_cast<std::byte *>(panel);
    const int64_t columns = part.cut.spec.n;
    const int64_t stepC = OperandPanels::kColumns * (panels.ofA ? columns : 1);
    for (int64_t i = 0; i < panels.count; ++i) {
      panels.copy(i, operand, panels.ofA ? part.cut.leadingA : columns, panel);
      execute(handles);
      if (status != dnnl_success)
        return;
      handles[kC] += bytesAt(stepC, part.cut.spec.c);
    }
  }

  void execute(const Handles &handles) {
    for (int i = 0; i < count; ++i)
      dnnl_memory_set_data_handle(arguments[i].memory, handles[i]);
    status = dnnl_primitive_execute(part.primitive, stream, count, arguments.data());
    if (status == dnnl_success)
      status = dnnl_stream_wait(stream);
  }

  const Matmul::Part &part;
  std::array<dnnl_exec_arg_t, 4> arguments{}; ///< in the order of the handles
  int count = 0;
  dnnl_stream_t stream = nullptr;
  dnnl_status_t status = dnnl_success;
};

MatmulCall::MatmulCall() = default;
MatmulCall::MatmulCall(MatmulCall &&) noexcept = default;
MatmulCall &MatmulCall::operator=(MatmulCall &&) noexcept = default;
MatmulCall::~MatmulCall() = default;

Result<MatmulCall> MatmulCall::create(std::shared_ptr<const Matmul> matmul) {
  MatmulCall call;
  for (const std::unique_ptr<Matmul::Part> &part : matmul->parts)
    if (!call.bound.emplace_back(std::make_unique<Bound>(*part))->create())
      return Status::internal("oneDNN gives no stream or memory handle");
  call.matmul = std::move(matmul);
  return call;
}

Status MatmulCall::run(void *const *args, KernelTeam *team) {
  if (!matmul->widened)
    return runParts(args, team);
  WINDLASS_TRY(runParts(matmul->widened->widen(args).data(), team));
  matmul->widened->narrow(args);
  return Status::ok();
}

Status MatmulCall::runParts(void *const *args, KernelTeam *team) {
  struct Job {
    MatmulCall &call;
    void *const *args;
    static void run(void *const *self, int64_t begin, int64_t end) {
      const Job &job = *static_cast<const Job *>(*self);
      for (int64_t part = begin; part < end; ++part)
        job.call.bound[part]->run(job.args);
    }
  } job{*this, args};
  void *self = &job;
  int64_t parts = static_cast<int64_t>(bound.size());
  team ? team->run(Job::run, &self, 0, parts, 1) : Job::run(&self, 0, parts);
  for (const std::unique_ptr<Bound> &part : bound)
    if (part->status != dnnl_success)
      return Status::runFailed("matmul failed: oneDNN status " + std::to_string(part->status));
  return Status::ok();
}

} // namespace windlass
