// Times and checks cuSPARSE's tridiagonal solvers, as `trisolve bench tridiagonal` does ours.
//
// Build: nvcc -O3 -std=c++17 -arch=native cusparse.cu -lcusparse -o cusparse
//
//   ./cusparse --default                                   the cases of the project's table
//   ./cusparse --case gtsv2 f32 contiguous 2^24 1          FUNCTION PRECISION LAYOUT ROWS BATCH; repeats
//   ./cusparse --accuracy                                  errors on the Toeplitz matrix (-1 2 -1) instead
//
// FUNCTION: gtsv2, gtsv2_nopivot (one system, contiguous), gtsv2StridedBatch (contiguous),
// gtsvInterleavedBatch-thomas, -lu, -qr (interleaved). Other options: --runs N (15),
// --warm-up SECONDS (0.3), --include-launch (see `measure`). The first CUDA device is used;
// CUDA_VISIBLE_DEVICES chooses another. CSV on stdout, all else on stderr. Exit 0, 1 when a case
// failed or was wrong, 2 for bad usage. A case that does not fit the memory is skipped.

#include <cuda_runtime.h>
#include <cusparse.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

// ---- errors

struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct OutOfMemory : Failure {
    using Failure::Failure;
};

struct Usage : Failure {
    using Failure::Failure;
};

static void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    const std::string message =
        std::string(call) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // Not sticky: cleared, so that the next case does not see it.
        throw OutOfMemory(message);
    }
    throw Failure(message);
}

static void check(cusparseStatus_t status, const char* call) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    const std::string message =
        std::string(call) + ": " + cusparseGetErrorName(status) + ", " + cusparseGetErrorString(status);
    if (status == CUSPARSE_STATUS_ALLOC_FAILED) throw OutOfMemory(message);
    throw Failure(message);
}

#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__)

// ---- cases

enum class Function { Gtsv2, Gtsv2NoPivot, StridedBatch, Thomas, Lu, Qr };

struct FunctionName {
    Function function;
    const char* name;
};

static const FunctionName FUNCTIONS[] = {
    {Function::Gtsv2, "gtsv2"},
    {Function::Gtsv2NoPivot, "gtsv2_nopivot"},
    {Function::StridedBatch, "gtsv2StridedBatch"},
    {Function::Thomas, "gtsvInterleavedBatch-thomas"},
    {Function::Lu, "gtsvInterleavedBatch-lu"},
    {Function::Qr, "gtsvInterleavedBatch-qr"},
};

static const char* name(Function function) {
    for (const FunctionName& entry : FUNCTIONS) {
        if (entry.function == function) return entry.name;
    }
    return "?";
}

/// The `algo` of gtsvInterleavedBatch, or -1 for the other functions.
static int interleaved_algo(Function function) {
    switch (function) {
        case Function::Thomas: return 0;
        case Function::Lu: return 1;
        case Function::Qr: return 2;
        default: return -1;
    }
}

struct Case {
    Function function;
    bool f64;
    int rows;
    int batch;

    bool interleaved() const { return interleaved_algo(function) >= 0; }
    size_t len() const { return static_cast<size_t>(rows) * static_cast<size_t>(batch); }
    /// Elements between neighbouring rows of a system, and between systems.
    size_t row_stride() const { return interleaved() ? static_cast<size_t>(batch) : 1; }
    size_t system_stride() const { return interleaved() ? 1 : static_cast<size_t>(rows); }
    std::string label() const {
        return std::string(name(function)) + (f64 ? " f64 " : " f32 ") + std::to_string(rows) + " x " +
               std::to_string(batch);
    }
};

// ---- device memory and kernels

template <typename T>
class DeviceVector {
public:
    explicit DeviceVector(size_t len) {
        const size_t bytes = std::max<size_t>(len, 1) * sizeof(T);
        check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes),
              ("cudaMalloc of " + std::to_string(bytes) + " bytes").c_str());
    }
    ~DeviceVector() { cudaFree(data_); }
    DeviceVector(const DeviceVector&) = delete;
    DeviceVector& operator=(const DeviceVector&) = delete;
    T* data() const { return data_; }

private:
    T* data_ = nullptr;
};

constexpr int BLOCK = 256;

static unsigned blocks(size_t threads) {
    return static_cast<unsigned>((threads + BLOCK - 1) / BLOCK);
}

__device__ size_t thread_index() {
    return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

template <typename T>
__global__ void repeat_tile(T* out, size_t len, const T* tile, size_t tile_len) {
    const size_t i = thread_index();
    if (i < len) out[i] = tile[i % tile_len];
}

/// cuSPARSE wants zeros in the two unused corners of every system.
template <typename T>
__global__ void zero_corners(T* lower, T* upper, size_t rows, size_t batch, size_t row_stride, size_t system_stride) {
    const size_t system = thread_index();
    if (system < batch) {
        lower[system * system_stride] = T(0);
        upper[system * system_stride + (rows - 1) * row_stride] = T(0);
    }
}

/// Thread (system, slice) sums rows slice, slice + slices, ... of ||d - A x||^2 and ||d||^2.
template <typename T>
__global__ void residual_sums(const T* lower, const T* diag, const T* upper, const T* rhs, const T* x, size_t rows,
                              size_t batch, size_t row_stride, size_t system_stride, size_t slices, double2* sums) {
    const size_t id = thread_index();
    if (id >= batch * slices) return;
    const size_t system = id / slices;
    double error = 0.0;
    double norm = 0.0;
    for (size_t row = id % slices; row < rows; row += slices) {
        const size_t at = system * system_stride + row * row_stride;
        const double d = static_cast<double>(rhs[at]);
        double r = d - static_cast<double>(diag[at]) * static_cast<double>(x[at]);
        if (row > 0) r -= static_cast<double>(lower[at]) * static_cast<double>(x[at - row_stride]);
        if (row + 1 < rows) r -= static_cast<double>(upper[at]) * static_cast<double>(x[at + row_stride]);
        error += r * r;
        norm += d * d;
    }
    sums[id] = make_double2(error, norm);
}

__global__ void copy_float4(const float4* source, float4* target, size_t len) {
    const size_t i = thread_index();
    if (i < len) target[i] = source[i];
}

__global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

// ---- systems

template <typename T>
struct HostSystem {
    std::vector<T> lower, diag, upper, rhs;
};

/// Rows of the repeated tile, as in our bench.
constexpr size_t TILE = size_t{1} << 22;

/// As `tiled_dominant` of our bench: off-diagonals and right-hand side in (-1, 1), diagonals of
/// either sign, strictly dominant by 0.1 to 0.5; dominant also where the tile meets itself.
template <typename T>
HostSystem<T> random_tile(size_t rows) {
    struct Row {
        double lower, upper, excess, rhs;
        bool negative;
    };
    // Drawn once: seconds of host work between the cases would let the clock fall.
    static const std::vector<Row> drawn = [] {
        std::mt19937_64 generator(7);
        std::uniform_real_distribution<double> symmetric(-1.0, 1.0);
        std::uniform_real_distribution<double> margin(0.1, 0.5);
        std::vector<Row> all(TILE);
        for (Row& row : all) {
            row.lower = symmetric(generator);
            row.upper = symmetric(generator);
            row.excess = margin(generator);
            row.rhs = symmetric(generator);
            row.negative = symmetric(generator) < 0.0;
        }
        return all;
    }();
    HostSystem<T> system;
    for (std::vector<T>* vector : {&system.lower, &system.diag, &system.upper, &system.rhs}) vector->resize(rows);
    for (size_t i = 0; i < rows; ++i) {
        const Row& row = drawn[i];
        system.lower[i] = static_cast<T>(row.lower);
        system.upper[i] = static_cast<T>(row.upper);
        system.rhs[i] = static_cast<T>(row.rhs);
        const double size = std::abs(static_cast<double>(system.lower[i])) +
                            std::abs(static_cast<double>(system.upper[i])) + row.excess;
        system.diag[i] = static_cast<T>(row.negative ? -size : size);
    }
    system.lower[0] = T(0.25);
    system.upper[rows - 1] = T(-0.25);
    system.diag[0] = T(2);
    system.diag[rows - 1] = T(2);
    return system;
}

/// The Toeplitz matrix (-1 2 -1) with the right-hand side of the solution of ones.
template <typename T>
HostSystem<T> toeplitz(size_t rows) {
    HostSystem<T> system;
    system.lower.assign(rows, T(-1));
    system.diag.assign(rows, T(2));
    system.upper.assign(rows, T(-1));
    system.rhs.assign(rows, T(0));
    system.rhs.front() += T(1);
    system.rhs.back() += T(1);
    return system;
}

template <typename T>
void fill(const DeviceVector<T>& out, size_t len, const std::vector<T>& tile) {
    DeviceVector<T> on_device(tile.size());
    CHECK(cudaMemcpy(on_device.data(), tile.data(), tile.size() * sizeof(T), cudaMemcpyHostToDevice));
    repeat_tile<T><<<blocks(len), BLOCK>>>(out.data(), len, on_device.data(), tile.size());
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

/// A tile repeated over rows x batch elements, never changed by the solvers.
template <typename T>
struct DeviceSystem {
    DeviceVector<T> lower, diag, upper, rhs;

    DeviceSystem(const Case& c, const HostSystem<T>& tile)
        : lower(c.len()), diag(c.len()), upper(c.len()), rhs(c.len()) {
        fill(lower, c.len(), tile.lower);
        fill(diag, c.len(), tile.diag);
        fill(upper, c.len(), tile.upper);
        fill(rhs, c.len(), tile.rhs);
        zero_corners<T><<<blocks(c.batch), BLOCK>>>(lower.data(), upper.data(), c.rows, c.batch, c.row_stride(),
                                                    c.system_stride());
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
};

// ---- solvers

template <typename T>
struct Cusparse;

template <>
struct Cusparse<float> {
    static constexpr auto gtsv2_size = cusparseSgtsv2_bufferSizeExt;
    static constexpr auto gtsv2 = cusparseSgtsv2;
    static constexpr auto nopivot_size = cusparseSgtsv2_nopivot_bufferSizeExt;
    static constexpr auto nopivot = cusparseSgtsv2_nopivot;
    static constexpr auto strided_size = cusparseSgtsv2StridedBatch_bufferSizeExt;
    static constexpr auto strided = cusparseSgtsv2StridedBatch;
    static constexpr auto interleaved_size = cusparseSgtsvInterleavedBatch_bufferSizeExt;
    static constexpr auto interleaved = cusparseSgtsvInterleavedBatch;
};

template <>
struct Cusparse<double> {
    static constexpr auto gtsv2_size = cusparseDgtsv2_bufferSizeExt;
    static constexpr auto gtsv2 = cusparseDgtsv2;
    static constexpr auto nopivot_size = cusparseDgtsv2_nopivot_bufferSizeExt;
    static constexpr auto nopivot = cusparseDgtsv2_nopivot;
    static constexpr auto strided_size = cusparseDgtsv2StridedBatch_bufferSizeExt;
    static constexpr auto strided = cusparseDgtsv2StridedBatch;
    static constexpr auto interleaved_size = cusparseDgtsvInterleavedBatch_bufferSizeExt;
    static constexpr auto interleaved = cusparseDgtsvInterleavedBatch;
};

/// One cuSPARSE function with its buffers. `restore` puts back what `solve` overwrites: the
/// right-hand side, in which the solution comes, and for gtsvInterleavedBatch the diagonals too.
template <typename T>
class Solver {
    using Api = Cusparse<T>;

public:
    Solver(cusparseHandle_t handle, const Case& c, const DeviceSystem<T>& system)
        : handle_(handle),
          case_(c),
          system_(system),
          x_(c.len()),
          lower_(copied(c)),
          diag_(copied(c)),
          upper_(copied(c)),
          buffer_(buffer_size()) {}

    void restore() {
        copy(x_, system_.rhs);
        if (case_.interleaved()) {
            copy(lower_, system_.lower);
            copy(diag_, system_.diag);
            copy(upper_, system_.upper);
        }
    }

    void solve() {
        const T* lower = system_.lower.data();
        const T* diag = system_.diag.data();
        const T* upper = system_.upper.data();
        switch (case_.function) {
            case Function::Gtsv2:
                CHECK(Api::gtsv2(handle_, case_.rows, 1, lower, diag, upper, x_.data(), case_.rows, buffer_.data()));
                break;
            case Function::Gtsv2NoPivot:
                CHECK(Api::nopivot(handle_, case_.rows, 1, lower, diag, upper, x_.data(), case_.rows, buffer_.data()));
                break;
            case Function::StridedBatch:
                CHECK(Api::strided(handle_, case_.rows, lower, diag, upper, x_.data(), case_.batch, case_.rows,
                                   buffer_.data()));
                break;
            case Function::Thomas:
            case Function::Lu:
            case Function::Qr:
                CHECK(Api::interleaved(handle_, interleaved_algo(case_.function), case_.rows, lower_.data(),
                                       diag_.data(), upper_.data(), x_.data(), case_.batch, buffer_.data()));
                break;
        }
    }

    const T* x() const { return x_.data(); }

private:
    static size_t copied(const Case& c) { return c.interleaved() ? c.len() : 0; }

    void copy(const DeviceVector<T>& target, const DeviceVector<T>& source) {
        CHECK(cudaMemcpyAsync(target.data(), source.data(), case_.len() * sizeof(T), cudaMemcpyDeviceToDevice));
    }

    size_t buffer_size() const {
        const T* lower = system_.lower.data();
        const T* diag = system_.diag.data();
        const T* upper = system_.upper.data();
        const T* x = x_.data();
        size_t bytes = 0;
        switch (case_.function) {
            case Function::Gtsv2:
                CHECK(Api::gtsv2_size(handle_, case_.rows, 1, lower, diag, upper, x, case_.rows, &bytes));
                break;
            case Function::Gtsv2NoPivot:
                CHECK(Api::nopivot_size(handle_, case_.rows, 1, lower, diag, upper, x, case_.rows, &bytes));
                break;
            case Function::StridedBatch:
                CHECK(Api::strided_size(handle_, case_.rows, lower, diag, upper, x, case_.batch, case_.rows, &bytes));
                break;
            case Function::Thomas:
            case Function::Lu:
            case Function::Qr:
                CHECK(Api::interleaved_size(handle_, interleaved_algo(case_.function), case_.rows, lower, diag, upper,
                                            x, case_.batch, &bytes));
                break;
        }
        return bytes;
    }

    cusparseHandle_t handle_;
    const Case& case_;
    const DeviceSystem<T>& system_;
    DeviceVector<T> x_;
    DeviceVector<T> lower_, diag_, upper_;  // gtsvInterleavedBatch's own, which it overwrites.
    DeviceVector<unsigned char> buffer_;    // Last: its size is asked for with the vectors above.
};

// ---- timing

struct Options {
    int runs = 15;
    double warm_up = 0.3;
    bool include_launch = false;
};

class Event {
public:
    Event() { CHECK(cudaEventCreate(&event_)); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    operator cudaEvent_t() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

/// Longer than the host takes to launch a solver's kernels: about 0.2 ms at 2 GHz.
constexpr long long SPIN_CYCLES = 400000;

/// Device seconds of `runs` runs of `work`, sorted, after `warm_up` seconds of the same. `prepare`
/// runs before each, outside the timed region. A kernel that only waits goes just ahead of the
/// first event, so that the host has launched everything by then and the figure is device time,
/// as ours is (one pass, recorded beforehand); `include_launch` leaves it away.
template <typename Prepare, typename Work>
std::vector<double> measure(const Options& options, double warm_up, Prepare prepare, Work work) {
    const auto begin = std::chrono::steady_clock::now();
    do {
        for (int i = 0; i < 8; ++i) {
            prepare();
            work();
        }
        CHECK(cudaDeviceSynchronize());
    } while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < warm_up);

    Event start, stop;
    std::vector<double> seconds;
    for (int run = 0; run < options.runs; ++run) {
        prepare();
        if (!options.include_launch) {
            spin<<<1, 1>>>(SPIN_CYCLES);
            CHECK(cudaGetLastError());
        }
        CHECK(cudaEventRecord(start));
        work();
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float milliseconds = 0.0f;
        CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
        seconds.push_back(milliseconds * 1e-3);
    }
    CHECK(cudaDeviceSynchronize());
    std::sort(seconds.begin(), seconds.end());
    return seconds;
}

static double median(const std::vector<double>& sorted) {
    return sorted[sorted.size() / 2];
}

/// GB/s (read plus written) of a plain copy of 1 GiB, less where memory is short.
static double copy_bandwidth(const Options& options) {
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    const size_t bytes = std::min<size_t>(size_t{1} << 30, free_bytes / 4) / 16 * 16;
    DeviceVector<float> source(bytes / 4), target(bytes / 4);
    fill(source, bytes / 4, random_tile<float>(TILE).rhs);
    const float4* from = reinterpret_cast<const float4*>(source.data());
    float4* to = reinterpret_cast<float4*>(target.data());
    const auto seconds = measure(
        options, std::max(options.warm_up, 0.5), [] {},
        [&] {
            copy_float4<<<blocks(bytes / 16), BLOCK>>>(from, to, bytes / 16);
            CHECK(cudaGetLastError());
        });
    return 2.0 * static_cast<double>(bytes) / median(seconds) / 1e9;
}

/// The largest ||d - A x|| / ||d|| of all systems, summed in f64; NaN if any is.
template <typename T>
double relative_residual(const Case& c, const DeviceSystem<T>& system, const T* x) {
    // Enough threads to fill the device, whatever the batch.
    const size_t slices = std::min<size_t>(c.rows, std::max<size_t>(1, 65536 / static_cast<size_t>(c.batch)));
    const size_t count = static_cast<size_t>(c.batch) * slices;
    DeviceVector<double2> on_device(count);
    residual_sums<T><<<blocks(count), BLOCK>>>(system.lower.data(), system.diag.data(), system.upper.data(),
                                               system.rhs.data(), x, c.rows, c.batch, c.row_stride(),
                                               c.system_stride(), slices, on_device.data());
    CHECK(cudaGetLastError());
    std::vector<double2> sums(count);
    CHECK(cudaMemcpy(sums.data(), on_device.data(), count * sizeof(double2), cudaMemcpyDeviceToHost));
    double largest = 0.0;
    for (size_t first = 0; first < count; first += slices) {
        double error = 0.0, norm = 0.0;
        for (size_t i = first; i < first + slices; ++i) {
            error += sums[i].x;
            norm += sums[i].y;
        }
        const double residual = std::sqrt(error / norm);
        if (!(residual <= largest)) largest = residual;
        if (std::isnan(residual)) return residual;
    }
    return largest;
}

// ---- what is printed

/// The least any solver moves, in elements a row: four read, one written. Our algorithms state
/// what they move themselves; cuSPARSE's do not, so its share of the copy bandwidth is that of an
/// ideal solver of the same speed.
constexpr double LEAST_ELEMENTS_PER_ROW = 5.0;

/// False if the answer is wrong; it is printed all the same.
template <typename T>
bool run_case(cusparseHandle_t handle, const Case& c, const Options& options, double copy, const std::string& adapter) {
    const DeviceSystem<T> system(c, random_tile<T>(std::min(c.len(), TILE)));
    Solver<T> solver(handle, c, system);
    const auto seconds = measure(
        options, options.warm_up, [&] { solver.restore(); }, [&] { solver.solve(); });
    const double residual = relative_residual(c, system, solver.x());
    const double rows_per_s = static_cast<double>(c.len()) / median(seconds);
    const double bytes_per_row = LEAST_ELEMENTS_PER_ROW * sizeof(T);
    const double gb_per_s = rows_per_s * bytes_per_row / 1e9;
    std::printf("tridiagonal,cusparse %s,%s,%s,%d,%d,%.6g,%.6g,%.8g,%g,%.6g,%.6g,%.6g,%.4g,%s\n", name(c.function),
                c.f64 ? "f64" : "f32", c.interleaved() ? "interleaved" : "contiguous", c.rows, c.batch,
                median(seconds) * 1e6, seconds.front() * 1e6, rows_per_s, bytes_per_row, gb_per_s, copy,
                gb_per_s / copy, residual, adapter.c_str());
    std::fflush(stdout);
    const double bound = c.f64 ? 1e-13 : 1e-5;
    if (!(residual <= bound)) {
        std::fprintf(stderr, "%s: wrong, relative residual %g\n", c.label().c_str(), residual);
        return false;
    }
    return true;
}

static bool run_cases(cusparseHandle_t handle, const std::vector<Case>& cases, const Options& options) {
    cudaDeviceProp properties{};
    CHECK(cudaGetDeviceProperties(&properties, 0));
    const double copy = copy_bandwidth(options);
    std::fprintf(stderr, "%s, copy %.0f GB/s, %zu cases\n", properties.name, copy, cases.size());
    std::puts(
        "family,algorithm,precision,layout,rows,batch,median_us,min_us,rows_per_s,bytes_per_row,gb_per_s,"
        "copy_gb_per_s,share_of_copy,relative_residual,adapter");
    bool right = true;
    for (const Case& c : cases) {
        try {
            right &= c.f64 ? run_case<double>(handle, c, options, copy, properties.name)
                           : run_case<float>(handle, c, options, copy, properties.name);
        } catch (const OutOfMemory& error) {
            std::fprintf(stderr, "skipped %s: %s\n", c.label().c_str(), error.what());
        } catch (const Failure& error) {
            std::fprintf(stderr, "%s: %s\n", c.label().c_str(), error.what());
            right = false;
        }
    }
    return right;
}

/// ||x - 1|| / ||1|| on the Toeplitz matrix (-1 2 -1), f32.
static void run_accuracy(cusparseHandle_t handle) {
    std::puts("matrix,rows,algorithm,precision,relative_error");
    for (const int power : {10, 14, 16, 19, 24}) {
        for (const Function function : {Function::Gtsv2, Function::Gtsv2NoPivot}) {
            const Case c{function, false, 1 << power, 1};
            const DeviceSystem<float> system(c, toeplitz<float>(c.len()));
            Solver<float> solver(handle, c, system);
            solver.restore();
            solver.solve();
            std::vector<float> x(c.len());
            CHECK(cudaMemcpy(x.data(), solver.x(), x.size() * sizeof(float), cudaMemcpyDeviceToHost));
            double error = 0.0;
            for (const float value : x) error += (value - 1.0) * (value - 1.0);
            std::printf("toeplitz -1 2 -1,%d,cusparse %s,f32,%.4g\n", c.rows, name(function),
                        std::sqrt(error / static_cast<double>(c.len())));
            std::fflush(stdout);
        }
    }
}

// ---- arguments

/// The cases of the project's table.
static std::vector<Case> default_cases() {
    const Function single[] = {Function::Gtsv2, Function::Gtsv2NoPivot};
    const Function interleaved[] = {Function::Thomas, Function::Lu, Function::Qr};
    std::vector<Case> cases;
    for (const int rows : {1 << 27, 1 << 24, 1 << 20, 1024}) {
        for (const Function function : single) cases.push_back({function, false, rows, 1});
    }
    for (const int rows : {64, 256, 1024}) cases.push_back({Function::StridedBatch, false, rows, 65536});
    for (const int rows : {64, 256, 1024}) {
        for (const Function function : interleaved) cases.push_back({function, false, rows, 65536});
    }
    for (const Function function : single) cases.push_back({function, true, 1 << 25, 1});
    return cases;
}

/// A whole number from `least` to INT_MAX, also as 2^24.
static int parse_size(const std::string& text, long long least) {
    const size_t caret = text.find('^');
    try {
        size_t end = 0;
        long long value = std::stoll(text, &end);
        if (end == caret) {
            const std::string power_text = text.substr(caret + 1);
            const long long base = value;
            const int power = std::stoi(power_text, &end);
            if (end != power_text.size() || base < 2 || power < 0) throw std::invalid_argument(text);
            value = 1;
            for (int i = 0; i < power && value <= INT_MAX; ++i) value *= base;
        } else if (end != text.size()) {
            throw std::invalid_argument(text);
        }
        if (value < least || value > INT_MAX) throw std::out_of_range(text);
        return static_cast<int>(value);
    } catch (const std::logic_error&) {
        throw Usage("'" + text + "': should be a whole number from " + std::to_string(least) + " to " +
                    std::to_string(INT_MAX) + ", as 1048576 or 2^20");
    }
}

static Case parse_case(const std::string& function, const std::string& precision, const std::string& layout,
                       const std::string& rows, const std::string& batch) {
    const auto* entry = std::find_if(std::begin(FUNCTIONS), std::end(FUNCTIONS),
                                     [&](const FunctionName& known) { return function == known.name; });
    if (entry == std::end(FUNCTIONS)) throw Usage("no function '" + function + "'");
    if (precision != "f32" && precision != "f64") throw Usage("no precision '" + precision + "': f32 or f64");
    // The documentation's least size of a system for gtsv2 is 3.
    const Case c{entry->function, precision == "f64", parse_size(rows, 3), parse_size(batch, 1)};
    if (layout != (c.interleaved() ? "interleaved" : "contiguous")) {
        throw Usage(function + " does not take layout '" + layout + "'");
    }
    if (c.batch != 1 && (c.function == Function::Gtsv2 || c.function == Function::Gtsv2NoPivot)) {
        throw Usage(function + " solves one system: batch 1");
    }
    if (c.len() > INT_MAX) throw Usage(c.label() + ": cuSPARSE counts in 32 bits");
    return c;
}

static int run(const std::vector<std::string>& words) {
    Options options;
    std::vector<Case> cases;
    bool accuracy = false;
    size_t at = 0;
    const auto value = [&](const char* option) -> const std::string& {
        if (at >= words.size()) throw Usage(std::string(option) + ": a value is missing");
        return words[at++];
    };
    while (at < words.size()) {
        const std::string option = words[at++];
        if (option == "--default") {
            for (const Case& c : default_cases()) cases.push_back(c);
        } else if (option == "--case") {
            std::string field[5];
            for (std::string& text : field) text = value("--case FUNCTION PRECISION LAYOUT ROWS BATCH");
            cases.push_back(parse_case(field[0], field[1], field[2], field[3], field[4]));
        } else if (option == "--accuracy") {
            accuracy = true;
        } else if (option == "--runs") {
            options.runs = parse_size(value("--runs"), 1);
        } else if (option == "--warm-up") {
            const std::string& text = value("--warm-up");
            char* end = nullptr;
            options.warm_up = std::strtod(text.c_str(), &end);
            if (end == text.c_str() || *end != '\0' || !(options.warm_up >= 0.0 && options.warm_up < 3600.0)) {
                throw Usage("--warm-up '" + text + "': should be seconds");
            }
        } else if (option == "--include-launch") {
            options.include_launch = true;
        } else {
            throw Usage("no option '" + option + "'");
        }
    }
    if (accuracy == !cases.empty()) throw Usage("give either cases (--default, --case) or --accuracy");

    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices == 0) throw Failure("no CUDA device");
    cusparseHandle_t handle = nullptr;
    CHECK(cusparseCreate(&handle));
    bool right = true;
    if (accuracy) {
        run_accuracy(handle);
    } else {
        right = run_cases(handle, cases, options);
    }
    CHECK(cusparseDestroy(handle));
    return right ? 0 : 1;
}

int main(int count, char** words) {
    try {
        return run(std::vector<std::string>(words + 1, words + count));
    } catch (const Usage& error) {
        std::fprintf(stderr, "%s\nusage: cusparse [--default] [--case FUNCTION PRECISION LAYOUT ROWS BATCH]... "
                             "[--runs N] [--warm-up SECONDS] [--include-launch]\n       cusparse --accuracy\nfunctions:",
                     error.what());
        for (const FunctionName& known : FUNCTIONS) std::fprintf(stderr, " %s", known.name);
        std::fputs("\n", stderr);
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
