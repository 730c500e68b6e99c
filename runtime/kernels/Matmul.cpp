#include "runtime/kernels/Matmul.h"
#include <array>
#include <omp.h>
#include <oneapi/dnnl/dnnl.h>

namespace windlass {

std::string describe(const plan::MatmulSpec &spec) {
  auto extents = [](int64_t rows, int64_t columns) {
    return std::to_string(rows) + "x" + std::to_string(columns);
  };
  auto type = [](plan::ElementType t) {
    return t == plan::ElementType::F32 ? "f32" : t == plan::ElementType::BF16 ? "bf16" : "other";
  };
  std::string text = std::string(type(spec.c)) + " " + extents(spec.m, spec.n) + " = " + type(spec.a) + " " +
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

/// Makes OpenMP run with a given number of threads, and puts back what was set.
class TeamSize {
public:
  explicit TeamSize(int64_t threads) : before(omp_get_max_threads()) {
    omp_set_num_threads(static_cast<int>(threads));
  }
  ~TeamSize() { omp_set_num_threads(before); }
  TeamSize(const TeamSize &) = delete;

private:
  int before;
};

dnnl_data_type_t libraryType(plan::ElementType type) {
  switch (type) {
  case plan::ElementType::F32:
    return dnnl_f32;
  case plan::ElementType::BF16:
    return dnnl_bf16;
  case plan::ElementType::I32:
    return dnnl_s32;
  case plan::ElementType::F64:
    break;
  }
  return dnnl_data_type_undef;
}

/// A row-major batch of matrices, seen as rows x columns whether or not it is stored transposed.
dnnl_status_t describeMatrix(dnnl_memory_desc_t &desc, int64_t batch, int64_t rows, int64_t columns,
                             bool transposed, plan::ElementType type) {
  dnnl_dims_t dims = {batch, rows, columns};
  dnnl_dims_t strides = {rows * columns, transposed ? 1 : columns, transposed ? rows : 1};
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

struct Matmul::Library {
  ~Library() {
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(description);
    dnnl_primitive_attr_destroy(attributes);
  }

  dnnl_status_t create(const plan::MatmulSpec &spec) {
    dnnl_matmul_desc_t operation;
    dnnl_post_ops_t after = nullptr;
    dnnl_status_t status = describeMatrix(a, spec.batch, spec.m, spec.k, spec.transposeA, spec.a);
    auto then = [&](auto step) { status = status == dnnl_success ? step() : status; };
    then([&] { return describeMatrix(b, spec.batch, spec.k, spec.n, spec.transposeB, spec.b); });
    then([&] { return describeMatrix(c, spec.batch, spec.m, spec.n, false, spec.c); });
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

  int64_t scratchBytes() const {
    const dnnl_memory_desc_t *desc = scratch();
    return desc ? static_cast<int64_t>(dnnl_memory_desc_get_size(desc)) : 0;
  }

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

namespace {

/// The library multiplies two bf16, or two f32 into an f32; any other mix of both goes through f32.
bool needsWidening(const plan::MatmulSpec &spec, bool nativeBf16) {
  auto isNarrow = [](plan::ElementType type) { return type == plan::ElementType::BF16; };
  bool none = !isNarrow(spec.a) && !isNarrow(spec.b) && !isNarrow(spec.c);
  return !none && !(nativeBf16 && isNarrow(spec.a) && isNarrow(spec.b));
}

} // namespace

Result<std::shared_ptr<const Matmul>> Matmul::create(const plan::MatmulSpec &spec, int64_t threads,
                                                     bool nativeBf16) {
  TeamSize team(threads); // a primitive is cut for the threads it was made with
  std::shared_ptr<Matmul> matmul(new Matmul);
  matmul->library = std::make_unique<Library>();
  matmul->threads = threads;
  bool widens = needsWidening(spec, nativeBf16);
  dnnl_status_t status = matmul->library->create(widens ? WidenedMatmul::widened(spec) : spec);
  if (status != dnnl_success)
    return Status::cannotFit(
        "matmul '" + describe(spec) + "' cannot run here: oneDNN says " +
        (status == dnnl_unimplemented ? "unimplemented" : "status " + std::to_string(status)));
  if (widens)
    matmul->widened.emplace(spec, matmul->library->scratchBytes());
  return std::shared_ptr<const Matmul>(std::move(matmul));
}

int64_t Matmul::scratchBytes() const { return widened ? widened->scratchBytes() : library->scratchBytes(); }

struct MatmulCall::Bound {
  ~Bound() {
    for (dnnl_exec_arg_t &argument : arguments)
      dnnl_memory_destroy(argument.memory);
    dnnl_stream_destroy(stream);
  }

  dnnl_status_t bind(size_t i, int name, const dnnl_memory_desc_t *desc) {
    arguments[i].arg = name;
    return dnnl_memory_create(&arguments[i].memory, desc, cpuEngine(), nullptr);
  }

  std::array<dnnl_exec_arg_t, 4> arguments{};
  int count = 3;
  dnnl_stream_t stream = nullptr;
};

MatmulCall::MatmulCall() = default;
MatmulCall::MatmulCall(MatmulCall &&) noexcept = default;
MatmulCall &MatmulCall::operator=(MatmulCall &&) noexcept = default;
MatmulCall::~MatmulCall() = default;

Result<MatmulCall> MatmulCall::create(std::shared_ptr<const Matmul> matmul) {
  MatmulCall call;
  call.bound = std::make_unique<Bound>();
  Bound &bound = *call.bound;
  const Matmul::Library &library = *matmul->library;
  bool made = bound.bind(0, DNNL_ARG_SRC, &library.a) == dnnl_success &&
              bound.bind(1, DNNL_ARG_WEIGHTS, &library.b) == dnnl_success &&
              bound.bind(2, DNNL_ARG_DST, &library.c) == dnnl_success &&
              dnnl_stream_create(&bound.stream, cpuEngine(), dnnl_stream_default_flags) == dnnl_success;
  if (made && library.scratchBytes() > 0) {
    made = bound.bind(3, DNNL_ARG_SCRATCHPAD, library.scratch()) == dnnl_success;
    bound.count = 4;
  }
  if (!made)
    return Status::internal("oneDNN gives no stream or memory handle");
  call.matmul = std::move(matmul);
  return call;
}

Status MatmulCall::run(void *const *args) {
  if (!matmul->widened)
    return runLibrary(args);
  WINDLASS_TRY(runLibrary(matmul->widened->widen(args).data()));
  matmul->widened->narrow(args);
  return Status::ok();
}

Status MatmulCall::runLibrary(void *const *args) {
  omp_set_num_threads(static_cast<int>(matmul->threads)); // of the calling thread alone
  for (int i = 0; i < bound->count; ++i)
    dnnl_memory_set_data_handle(bound->arguments[i].memory, args[i]);
  dnnl_status_t status = dnnl_primitive_execute(matmul->library->primitive, bound->stream, bound->count,
                                                bound->arguments.data());
  if (status == dnnl_success)
    status = dnnl_stream_wait(bound->stream);
  return status == dnnl_success ? Status::ok()
                                : Status::runFailed("matmul failed: oneDNN status " + std::to_string(status));
}

Result<int64_t> matmulScratchBytes(const plan::MatmulSpec &spec, int64_t threads) {
  Result<std::shared_ptr<const Matmul>> matmul = Matmul::create(spec, threads);
  if (!matmul)
    return matmul.status();
  return (*matmul)->scratchBytes();
}

} // namespace windlass
