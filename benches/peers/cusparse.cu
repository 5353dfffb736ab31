// Times and checks cuSPARSE's tridiagonal solvers, as `trisolve bench tridiagonal` does ours.
//
// Build: nvcc -O3 -std=c++17 -arch=native cusparse.cu -lcusparse -o cusparse
//
//   ./cusparse --default                                   the cases of the project's table
//   ./cusparse --case gtsv2 f32 contiguous 2^24 1          FUNCTION PRECISION LAYOUT ROWS BATCH; repeats
//   ./cusparse --accuracy                                  errors on the Toeplitz matrix (-1 2 -1) instead
//   ./cusparse --system NAME f64 MATRIX RHS SOLUTION       errors on a system in Matrix Market files instead, as `trisolve
//                                                          generate` writes them; SOLUTION - if unknown; repeats
//
// FUNCTION: gtsv2, gtsv2_nopivot (one system, contiguous), gtsv2StridedBatch (contiguous),
// gtsvInterleavedBatch-thomas, -lu, -qr (interleaved). Other options: --entries dominant or poisson (dominant; poisson is
// -1 2 -1), --runs N (15), --warm-up SECONDS (0.3), --include-launch (see `measure`). The first CUDA device is used;
// CUDA_VISIBLE_DEVICES chooses another. CSV on stdout, all else on stderr. Exit 0, 1 when a case
// failed or was wrong, 2 for bad usage. A case that does not fit the memory is skipped.

#include <cusparse.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common.cuh"
#include "host_systems.h"

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

// ---- systems

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
    HostSystem<T> system(rows);
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
    const std::vector<double2> sums = download(on_device.data(), count);
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

/// The entries of the matrices, with the names of our bench.
enum class Entries { Dominant, Poisson };

/// A measurement's options.
struct Measuring {
    Options options;
    Entries entries = Entries::Dominant;
};

/// False if the answer is wrong; it is printed all the same.
template <typename T>
bool run_case(cusparseHandle_t handle, const Case& c, const Measuring& measuring, double copy,
              const std::string& adapter) {
    const size_t rows = std::min(c.len(), TILE);
    const bool poisson = measuring.entries == Entries::Poisson;
    const DeviceSystem<T> system(c, poisson ? poisson_tile<T>(rows) : random_tile<T>(rows));
    Solver<T> solver(handle, c, system);
    const auto seconds = measure(
        measuring.options, measuring.options.warm_up, [&] { solver.restore(); }, [&] { solver.solve(); });
    const double residual = relative_residual(c, system, solver.x());
    const std::string algorithm = std::string("cusparse ") + name(c.function) + (poisson ? ", poisson" : "");
    print_line({"tridiagonal", algorithm, c.f64, c.interleaved(), c.rows, c.batch,
                LEAST_ELEMENTS_PER_ROW * sizeof(T), residual},
               seconds, copy, adapter);
    // On (-1 2 -1), solvers that are not backward stable lose digits as rows are added: only nonsense is wrong.
    const double bound = poisson ? 1.0 : c.f64 ? 1e-13 : 1e-5;
    if (!(residual <= bound)) {
        std::fprintf(stderr, "%s: wrong, relative residual %g\n", c.label().c_str(), residual);
        return false;
    }
    return true;
}

// ---- errors

/// A system in Matrix Market files.
struct Files {
    std::string name;
    bool f64;
    std::string matrix, rhs, solution;
};

/// Prints the errors of Thomas's algorithm on the CPU and of cuSPARSE for a system; `truth` is empty if unknown.
template <typename T>
void print_errors(cusparseHandle_t handle, const std::string& matrix, const HostSystem<T>& host,
                  const std::vector<double>& truth) {
    const bool f64 = sizeof(T) == sizeof(double);
    const std::vector<T> baseline = thomas(host);
    const auto print = [&](const char* algorithm, const std::vector<T>& x) {
        std::printf("%s,%zu,%s,%s,%s,%s\n", matrix.c_str(), host.rows(), algorithm, f64 ? "f64" : "f32",
                    relative_distance(x, baseline).c_str(), relative_distance(x, truth).c_str());
        std::fflush(stdout);
    };
    print("thomas", baseline);
    for (const Function function : {Function::Gtsv2, Function::Gtsv2NoPivot}) {
        const Case c{function, f64, static_cast<int>(host.rows()), 1};
        const DeviceSystem<T> system(c, host);
        Solver<T> solver(handle, c, system);
        solver.restore();
        solver.solve();
        print((std::string("cusparse ") + name(function)).c_str(), download(solver.x(), c.len()));
    }
}

/// The errors on the Toeplitz matrix (-1 2 -1) with the solution of ones, f32, and on the systems of files.
static void run_accuracy(cusparseHandle_t handle, bool on_toeplitz, const std::vector<Files>& systems) {
    std::puts("matrix,rows,algorithm,precision,difference_to_thomas,relative_error");
    for (const int power : {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 24}) {
        if (!on_toeplitz) break;
        const size_t rows = size_t{1} << power;
        print_errors(handle, "toeplitz -1 2 -1", toeplitz<float>(rows), std::vector<double>(rows, 1.0));
    }
    for (const Files& files : systems) {
        const std::vector<double> truth = files.solution == "-" ? std::vector<double>() : read_column(files.solution);
        if (files.f64) {
            print_errors(handle, files.name, read_system<double>(files.matrix, files.rhs), truth);
        } else {
            print_errors(handle, files.name, read_system<float>(files.matrix, files.rhs), truth);
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

static Case parse_case(const std::string& function, const std::string& precision, const std::string& layout,
                       const std::string& rows, const std::string& batch) {
    const auto* entry = std::find_if(std::begin(FUNCTIONS), std::end(FUNCTIONS),
                                     [&](const FunctionName& known) { return function == known.name; });
    if (entry == std::end(FUNCTIONS)) throw Usage("no function '" + function + "'");
    // The documentation's least size of a system for gtsv2 is 3.
    const Case c{entry->function, is_f64(precision), parse_size(rows, 3), parse_size(batch, 1)};
    if (layout != (c.interleaved() ? "interleaved" : "contiguous")) {
        throw Usage(function + " does not take layout '" + layout + "'");
    }
    if (c.batch != 1 && (c.function == Function::Gtsv2 || c.function == Function::Gtsv2NoPivot)) {
        throw Usage(function + " solves one system: batch 1");
    }
    if (c.len() > INT_MAX) throw Usage(c.label() + ": cuSPARSE counts in 32 bits");
    return c;
}

static int run(Words& words) {
    Measuring measuring;
    std::vector<Case> cases;
    bool on_toeplitz = false;
    std::vector<Files> systems;
    while (words.left()) {
        const std::string option = words.next();
        if (option == "--default") {
            for (const Case& c : default_cases()) cases.push_back(c);
        } else if (option == "--case") {
            std::string field[5];
            for (std::string& text : field) text = words.value("--case FUNCTION PRECISION LAYOUT ROWS BATCH");
            cases.push_back(parse_case(field[0], field[1], field[2], field[3], field[4]));
        } else if (option == "--accuracy") {
            on_toeplitz = true;
        } else if (option == "--system") {
            std::string field[5];
            for (std::string& text : field) text = words.value("--system NAME PRECISION MATRIX RHS SOLUTION");
            systems.push_back({field[0], is_f64(field[1]), field[2], field[3], field[4]});
        } else if (option == "--entries") {
            const std::string& entries = words.value("--entries");
            if (entries != "dominant" && entries != "poisson") {
                throw Usage("no entries '" + entries + "': dominant or poisson");
            }
            measuring.entries = entries == "poisson" ? Entries::Poisson : Entries::Dominant;
        } else if (!take_option(measuring.options, option, words)) {
            throw Usage("no option '" + option + "'");
        }
    }
    const bool accuracy = on_toeplitz || !systems.empty();
    if (accuracy == !cases.empty()) throw Usage("give either cases (--default, --case) or --accuracy, --system");

    check_device();
    cusparseHandle_t handle = nullptr;
    CHECK(cusparseCreate(&handle));
    bool right = true;
    if (accuracy) {
        run_accuracy(handle, on_toeplitz, systems);
    } else {
        right = run_cases(cases, measuring.options, [&](const Case& c, double copy, const std::string& adapter) {
            return c.f64 ? run_case<double>(handle, c, measuring, copy, adapter)
                         : run_case<float>(handle, c, measuring, copy, adapter);
        });
    }
    CHECK(cusparseDestroy(handle));
    return right ? 0 : 1;
}

int main(int count, char** words) {
    std::string usage =
        "usage: cusparse [--default] [--case FUNCTION PRECISION LAYOUT ROWS BATCH]... "
        "[--entries dominant|poisson] [--runs N] [--warm-up SECONDS] [--include-launch]\n"
        "       cusparse [--accuracy] [--system NAME PRECISION MATRIX RHS SOLUTION]...\nfunctions:";
    for (const FunctionName& known : FUNCTIONS) usage += std::string(" ") + known.name;
    return exit_code(Words(count, words), run, usage);
}
