// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/support/cuda/blaslt/SimBlasLt.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/plan/Enums.h"
#include "test/support/cuda/SimDevice.h"
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

namespace windlass::test {

using namespace windlass::cuda;

namespace {

constexpr LtStatus kInvalidValue{7}, kExecutionFailed{13}, kNotSupported{15}, kNotInitialized{1};
constexpr size_t kVersion = 130100; // 13.1.0
constexpr uint32_t kEveryReduction = 7;

struct Layout {
  LtType type{};
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
  int32_t batch = 1;
  int64_t stride = 0;
  bool operator==(const Layout &) const = default;
};

struct Product {
  LtCompute compute{};
  LtType scale{};
  int32_t transposeA = 0, transposeB = 0;
  bool operator==(const Product &) const = default;
};

/// A preference, with the defaults of the library.
struct Preference {
  uint64_t workspace = 0;
  uint32_t reductions = kEveryReduction;
  std::array<uint32_t, 4> alignments = {256, 256, 256, 256}; ///< of A, B, C and D
};

/// An algorithm: the product for which it was chosen, and how the CPU computes that.
struct Chosen {
  Product product;
  Layout a, b, c;
  std::array<uint32_t, 4> alignments;
  uint64_t workspace;
  plan::MatmulSpec spec;
  std::shared_ptr<MatmulCall> call;
  int64_t scratch;
};

struct State {
  std::mutex mutex;
  uint64_t made = 0;
  std::map<uint64_t, int> handles;
  std::map<uint64_t, Product> products;
  std::map<uint64_t, Layout> layouts;
  std::map<uint64_t, Preference> preferences;
  /// By handle and number of the algorithm. Numbers count per handle, so that equal questions to two devices
  /// have equal answers.
  std::map<std::pair<LtHandle, uint64_t>, Chosen> chosen;
  int64_t multiplied = 0;
};

State &state() {
  static State only;
  return only;
}

using Lock = std::lock_guard<std::mutex>;

template <typename Thing, typename Handle> Handle add(std::map<uint64_t, Thing> &things, Thing thing) {
  const uint64_t number = ++state().made * 16;
  things.emplace(number, std::move(thing));
  return reinterpret_cast<Handle>(number);
}

LtStatus misused(const std::string &what, LtStatus answer = kInvalidValue) {
  simDevice()->report(SimRule::LibraryMisuse, what);
  return answer;
}

template <typename Thing> Thing *find(std::map<uint64_t, Thing> &things, const void *handle) {
  const auto found = things.find(reinterpret_cast<uint64_t>(handle));
  return found == things.end() ? nullptr : &found->second;
}

template <typename Thing>
LtStatus end(std::map<uint64_t, Thing> &things, const void *handle, const char *call) {
  const Lock lock(state().mutex);
  return things.erase(reinterpret_cast<uint64_t>(handle)) ? kLtSuccess
                                                          : misused(std::string(call) + ": no such thing");
}

/// Copies the value of an attribute after a check of its size.
template <typename Value> LtStatus take(Value &to, const void *value, size_t bytes, const char *call) {
  if (bytes != sizeof to)
    return misused(std::string(call) + ": an attribute of " + std::to_string(bytes) + " bytes");
  std::memcpy(&to, value, bytes);
  return kLtSuccess;
}

std::optional<plan::ElementType> elementOf(LtType type) {
  return type == kLtF32    ? std::optional(plan::ElementType::F32)
         : type == kLtBf16 ? std::optional(plan::ElementType::BF16)
         : type == kLtF16  ? std::optional(plan::ElementType::F16)
                           : std::nullopt;
}

/// Whether the rows of the plan's matrix do not overlap, and the matrices of a batch lie one behind the
/// other.
bool isPlain(const Layout &layout) {
  return layout.leading >= static_cast<int64_t>(layout.rows) && layout.batch >= 1 &&
         (layout.batch == 1 || layout.stride == layout.leading * static_cast<int64_t>(layout.columns));
}

/// The row-major product that equals the library's column-major product; nothing if extents or types do not
/// fit.
std::optional<plan::MatmulSpec> specOf(const Product &product, const Layout &a, const Layout &b,
                                       const Layout &c) {
  plan::MatmulSpec spec;
  spec.batch = c.batch;
  spec.n = static_cast<int64_t>(c.rows);
  spec.m = static_cast<int64_t>(c.columns);
  spec.transposeB = product.transposeA == kLtTransposed;
  spec.transposeA = product.transposeB == kLtTransposed;
  const auto [n, k] = spec.transposeB ? std::pair(a.columns, a.rows) : std::pair(a.rows, a.columns);
  const auto [alsoK, m] = spec.transposeA ? std::pair(b.columns, b.rows) : std::pair(b.rows, b.columns);
  spec.k = static_cast<int64_t>(k);
  const auto typeA = elementOf(b.type), typeB = elementOf(a.type), typeC = elementOf(c.type);
  if (n != c.rows || m != c.columns || k != alsoK || a.batch != c.batch || b.batch != c.batch || !typeA ||
      typeA != typeB || !typeC || (typeC != typeA && *typeC != plan::ElementType::F32))
    return std::nullopt;
  spec.a = *typeA;
  spec.b = *typeB;
  spec.c = *typeC;
  return spec;
}

/// The bytes of workspace that an algorithm takes: a few, so that wrong workspaces are found.
uint64_t workspaceOf(const plan::MatmulSpec &spec, uint64_t granted) {
  return std::min<uint64_t>(granted, static_cast<uint64_t>(256 * (1 + spec.m % 4)));
}

Result<Chosen> chooseFor(const Product &product, const Layout &a, const Layout &b, const Layout &c,
                         const Preference &preference, bool accumulate) {
  std::optional<plan::MatmulSpec> spec = specOf(product, a, b, c);
  if (!spec)
    return Status::badInput("extents or types that do not fit");
  spec->accumulate = accumulate;
  Result<std::shared_ptr<const Matmul>> matmul = Matmul::create(*spec, /*threads=*/1);
  WINDLASS_TRY(matmul.status());
  Result<MatmulCall> call = MatmulCall::create(*matmul);
  WINDLASS_TRY(call.status());
  return Chosen{product,
                a,
                b,
                c,
                preference.alignments,
                workspaceOf(*spec, preference.workspace),
                *spec,
                std::make_shared<MatmulCall>(call.take()),
                (*matmul)->scratchBytes()};
}

/// Memory that is aligned as the buffers of a plan are, since the library of the CPU chooses its code by
/// alignment.
class Aligned {
public:
  explicit Aligned(int64_t bytes) : lines(static_cast<size_t>(bytes / 64 + 1)) {}
  void *data() { return lines.data(); }

private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> lines;
};

struct Addresses {
  uint64_t a, b, c, workspace; ///< a and b: of the plan's A and B
};

/// An operand on the device, and a copy of its rows back to back on the host. Bytes between rows on the
/// device are not accessed.
class Operand {
public:
  Operand(const Layout &layout, plan::ElementType type, std::span<const SimRegion> regions, uint64_t address)
      : rows(static_cast<int64_t>(layout.columns) * layout.batch),
        rowBytes(static_cast<int64_t>(layout.rows) * plan::bytesOf(type)),
        pitchBytes(layout.leading * plan::bytesOf(type)), near(rows * rowBytes), regions(regions),
        address(address) {}

  /// Records the accesses to the operand. Returns whether all of its rows lie in allocations.
  bool touch(bool reads, bool writes, const std::string &what, SimOutcome &outcome) {
    for (int64_t row = 0; row < rows; ++row) {
      std::byte *there = touchOperand(regions, address + static_cast<uint64_t>(row * pitchBytes),
                                      static_cast<uint64_t>(rowBytes), reads, writes, what, outcome);
      if (!there)
        return false;
      device.push_back(there);
    }
    return true;
  }
  void load() {
    for (int64_t row = 0; row < rows; ++row)
      std::memcpy(at(row), device[static_cast<size_t>(row)], static_cast<size_t>(rowBytes));
  }
  void store() {
    for (int64_t row = 0; row < rows; ++row)
      std::memcpy(device[static_cast<size_t>(row)], at(row), static_cast<size_t>(rowBytes));
  }
  void *data() { return near.data(); }

private:
  std::byte *at(int64_t row) { return static_cast<std::byte *>(near.data()) + row * rowBytes; }

  const int64_t rows, rowBytes, pitchBytes;
  Aligned near;
  const std::span<const SimRegion> regions;
  const uint64_t address;
  std::vector<std::byte *> device; ///< the address of each row
};

SimOutcome run(const Chosen &chosen, const Addresses &at, std::span<const SimRegion> regions) {
  const plan::MatmulSpec &spec = chosen.spec;
  SimOutcome outcome;
  const std::string name = "product " + describe(spec);
  Operand a(chosen.b, spec.a, regions, at.a), b(chosen.a, spec.b, regions, at.b),
      c(chosen.c, spec.c, regions, at.c);
  bool isThere = a.touch(true, false, name + ", A", outcome) && b.touch(true, false, name + ", B", outcome);
  if (chosen.workspace > 0)
    if (std::byte *junk =
            touchOperand(regions, at.workspace, chosen.workspace, false, true, name + ", workspace", outcome))
      std::memset(junk, 0xA7, chosen.workspace);
  isThere = isThere && c.touch(spec.accumulate, true, name + ", C", outcome);
  if (!isThere || outcome.result != CuResult::Success)
    return outcome;
  for (Operand *operand : {&a, &b, &c})
    operand->load();
  Aligned scratch(chosen.scratch);
  void *args[] = {a.data(), b.data(), c.data(), scratch.data()};
  if (!chosen.call->run(args))
    outcome.result = CuResult::LaunchFailed;
  c.store();
  return outcome;
}

//===----------------------------------------------------------------------===//
// The functions of the table
//===----------------------------------------------------------------------===//

size_t version() { return kVersion; }

const char *errorText(LtStatus status) {
  return status == kLtSuccess        ? "success"
         : status == kInvalidValue   ? "an unsupported value or parameter was passed to the function"
         : status == kNotSupported   ? "the functionality requested is not supported"
         : status == kNotInitialized ? "the library was not initialized"
                                     : "the GPU program failed to execute";
}

LtStatus create(LtHandle *handle) {
  SimDevice *device = simDevice();
  if (!device || device->checkLibraryCall("cublasLtCreate", true) != CuResult::Success ||
      device->strikes(SimFaultKind::LtNotCreated))
    return kNotInitialized;
  const Lock lock(state().mutex);
  *handle = add<int, LtHandle>(state().handles, 0);
  return kLtSuccess;
}

LtStatus destroy(LtHandle handle) { return end(state().handles, handle, "cublasLtDestroy"); }

LtStatus createProduct(LtProduct *product, LtCompute compute, LtType scale) {
  const Lock lock(state().mutex);
  *product = add<Product, LtProduct>(state().products, Product{compute, scale});
  return kLtSuccess;
}

LtStatus destroyProduct(LtProduct product) {
  return end(state().products, product, "cublasLtMatmulDescDestroy");
}

LtStatus setProduct(LtProduct handle, LtProductAttribute attribute, const void *value, size_t bytes) {
  const Lock lock(state().mutex);
  Product *product = find(state().products, handle);
  if (!product || (attribute != kLtTransposeA && attribute != kLtTransposeB))
    return misused("cublasLtMatmulDescSetAttribute");
  return take(attribute == kLtTransposeA ? product->transposeA : product->transposeB, value, bytes,
              "cublasLtMatmulDescSetAttribute");
}

LtStatus createLayout(LtLayout *layout, LtType type, uint64_t rows, uint64_t columns, int64_t stride) {
  const Lock lock(state().mutex);
  *layout = add<Layout, LtLayout>(state().layouts, Layout{type, rows, columns, stride});
  return kLtSuccess; // the library accepts any leading dimension here, and no product with a wrong one
}

LtStatus destroyLayout(LtLayout layout) {
  return end(state().layouts, layout, "cublasLtMatrixLayoutDestroy");
}

LtStatus setLayout(LtLayout handle, LtLayoutAttribute attribute, const void *value, size_t bytes) {
  const Lock lock(state().mutex);
  Layout *layout = find(state().layouts, handle);
  if (layout && attribute == kLtBatch)
    return take(layout->batch, value, bytes, "cublasLtMatrixLayoutSetAttribute");
  if (layout && attribute == kLtBatchStride)
    return take(layout->stride, value, bytes, "cublasLtMatrixLayoutSetAttribute");
  return misused("cublasLtMatrixLayoutSetAttribute");
}

LtStatus createPreference(LtPreference *preference) {
  const Lock lock(state().mutex);
  *preference = add<Preference, LtPreference>(state().preferences, Preference{});
  return kLtSuccess;
}

LtStatus destroyPreference(LtPreference preference) {
  return end(state().preferences, preference, "cublasLtMatmulPreferenceDestroy");
}

LtStatus setPreference(LtPreference handle, LtPreferenceAttribute attribute, const void *value,
                       size_t bytes) {
  constexpr const char *kCall = "cublasLtMatmulPreferenceSetAttribute";
  const Lock lock(state().mutex);
  Preference *preference = find(state().preferences, handle);
  if (!preference)
    return misused(kCall);
  if (attribute == kLtMaxWorkspace)
    return take(preference->workspace, value, bytes, kCall);
  if (attribute == kLtReductions)
    return take(preference->reductions, value, bytes, kCall);
  constexpr LtPreferenceAttribute kAlignments[] = {kLtAlignmentA, kLtAlignmentB, kLtAlignmentC,
                                                   kLtAlignmentD};
  const auto *found = std::ranges::find(kAlignments, attribute);
  return found == std::end(kAlignments)
             ? misused(kCall)
             : take(preference->alignments[static_cast<size_t>(found - kAlignments)], value, bytes, kCall);
}

LtStatus choose(LtHandle handle, LtProduct product, LtLayout a, LtLayout b, LtLayout c, LtLayout d,
                LtPreference preference, int asked, LtChoice *choices, int *found) {
  State &now = state();
  const Lock lock(now.mutex);
  const Product *known = find(now.products, product);
  const Layout *first = find(now.layouts, a), *second = find(now.layouts, b), *third = find(now.layouts, c);
  const Preference *terms = find(now.preferences, preference);
  if (!find(now.handles, handle) || !known || !first || !second || !third || !terms || asked < 1)
    return misused("cublasLtMatmulAlgoGetHeuristic");
  *found = 0;
  if (!isPlain(*first) || !isPlain(*second) || !isPlain(*third) || c != d)
    return misused("cublasLtMatmulAlgoGetHeuristic: matrices that do not lie as a plan's do", kNotSupported);
  if (terms->reductions != kLtNoReduction)
    return misused("cublasLtMatmulAlgoGetHeuristic: sums may be split", kNotSupported);
  if (known->compute != kLtComputeF32 || known->scale != kLtF32)
    return kNotSupported;
  Result<Chosen> chosen = chooseFor(*known, *first, *second, *third, *terms, false);
  if (!chosen)
    return kNotSupported;
  choices[0] = {};
  choices[0].workspaceBytes = chosen->workspace;
  choices[0].status = kLtSuccess;
  const uint64_t number = 1 + static_cast<uint64_t>(std::ranges::count_if(
                                  now.chosen, [&](const auto &each) { return each.first.first == handle; }));
  const plan::MatmulSpec spec = chosen->spec;
  choices[0].algorithm.words[0] = number;
  choices[0].algorithm.words[1] = static_cast<uint64_t>(spec.m * 31 + spec.n * 37 + spec.k * 41);
  now.chosen.emplace(std::pair(handle, number), chosen.take());
  *found = simDevice()->strikes(SimFaultKind::LtNoAlgorithm) ? 0 : 1;
  if (simDevice()->strikes(SimFaultKind::LtGreedy))
    choices[0].workspaceBytes = terms->workspace + 256;
  if (simDevice()->strikes(SimFaultKind::LtUnsupported))
    choices[0].status = kNotSupported;
  return kLtSuccess;
}

/// The first mistake in the arguments of a product; empty if there is none.
std::string faultOf(const Chosen &chosen, const Addresses &at, float alpha, float beta, const void *c,
                    const void *d, size_t workspaceBytes) {
  const auto isAligned = [](uint64_t address, uint64_t alignment) { return address % alignment == 0; };
  if (alpha != 1 || (beta != 0 && beta != 1))
    return "a product that is scaled";
  if (c != d)
    return "a result beside what it is added to";
  // The library's A is the plan's B.
  if (!isAligned(at.b, chosen.alignments[0]) || !isAligned(at.a, chosen.alignments[1]) ||
      !isAligned(at.c, chosen.alignments[2]) || !isAligned(at.c, chosen.alignments[3]))
    return "an operand that is less aligned than the preference said";
  if (workspaceBytes < chosen.workspace || (chosen.workspace > 0 && at.workspace == 0))
    return "less workspace than the algorithm takes";
  if (!isAligned(at.workspace, chosen.workspace > 0 ? 256 : 1))
    return "a workspace that is not aligned to 256 bytes";
  return "";
}

LtStatus multiply(LtHandle handle, LtProduct product, const void *alpha, const void *a, LtLayout aLayout,
                  const void *b, LtLayout bLayout, const void *beta, const void *c, LtLayout cLayout, void *d,
                  LtLayout dLayout, const LtAlgorithm *algorithm, void *workspace, size_t workspaceBytes,
                  CuStream stream) {
  State &now = state();
  std::unique_lock lock(now.mutex);
  const Product *known = find(now.products, product);
  const Layout *first = find(now.layouts, aLayout), *second = find(now.layouts, bLayout),
               *third = find(now.layouts, cLayout);
  const auto found = algorithm ? now.chosen.find({handle, algorithm->words[0]}) : now.chosen.end();
  if (!find(now.handles, handle) || !known || !first || !second || !third || found == now.chosen.end() ||
      cLayout != dLayout)
    return misused("cublasLtMatmul");
  Chosen &chosen = found->second;
  if (!(chosen.product == *known && chosen.a == *first && chosen.b == *second && chosen.c == *third))
    return misused("cublasLtMatmul: an algorithm that was chosen for another product");
  float scales[2];
  std::memcpy(&scales[0], alpha, sizeof(float));
  std::memcpy(&scales[1], beta, sizeof(float));
  const Addresses at{reinterpret_cast<uint64_t>(b), reinterpret_cast<uint64_t>(a),
                     reinterpret_cast<uint64_t>(d), reinterpret_cast<uint64_t>(workspace)};
  if (const std::string fault = faultOf(chosen, at, scales[0], scales[1], c, d, workspaceBytes);
      !fault.empty())
    return misused("cublasLtMatmul: " + fault);
  if (scales[1] == 1 && !chosen.spec.accumulate) { // only now it is known whether the product is added to C
    Result<Chosen> adding = chooseFor(chosen.product, chosen.a, chosen.b, chosen.c, {}, true);
    if (!adding)
      return kNotSupported;
    chosen.spec = adding->spec;
    chosen.call = adding->call;
    chosen.scratch = adding->scratch;
  }
  if (simDevice()->strikes(SimFaultKind::LtRefused))
    return kInvalidValue;
  if (simDevice()->strikes(SimFaultKind::LtFailed))
    return kExecutionFailed;
  ++now.multiplied;
  const Chosen *work = &chosen; // an element of a map, which does not move
  lock.unlock();
  const CuResult enqueued = simDevice()->enqueueLibrary(
      stream, "product", [work, at](std::span<const SimRegion> regions) { return run(*work, at, regions); });
  return enqueued == CuResult::Success ? kLtSuccess : kExecutionFailed;
}

} // namespace

BlasLt SimBlasLt::table() {
  BlasLt functions;
#define WINDLASS_BLASLT_CALL(Member, Symbol, Since, Result, Parameters) functions.Member = &test::Member;
#include "runtime/cuda/BlasLt.def"
  return functions;
}

std::string SimBlasLt::leftovers() {
  const Lock lock(state().mutex);
  std::string text;
  for (const auto &[count, what] : {std::pair(state().handles.size(), "handle"),
                                    {state().products.size(), "product"},
                                    {state().layouts.size(), "layout"},
                                    {state().preferences.size(), "preference"}})
    if (count > 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what + (count > 1 ? "s" : "");
  return text;
}

int64_t SimBlasLt::products() {
  const Lock lock(state().mutex);
  return state().multiplied;
}

} // namespace windlass::test
