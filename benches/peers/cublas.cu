// Times cuBLAS's triangular solves (trsv; trsmBatched of several matrices or right-hand sides) on the cases of `trisolve bench triangular`, and prints the
// same CSV.
//
//   nvcc -O3 -std=c++17 -arch=native cublas.cu -lcublas -o cublas
//   cublas --default
//   cublas --case lower N f32 4096 --runs 15 --warm-up 0.3
//   cublas --many lower N f32 64 8192 64   (rows, matrices, right-hand sides of each)
//
// Matrices with ones on their diagonals, column by column without gaps. The solve is in place: right-hand
// sides are copied to their place before each run, outside of what is timed.

#include <cublas_v2.h>

#include "common.cuh"

struct Case {
    bool upper;
    bool transposed;
    bool f64;
    int n;
    int batch = 1;
    int columns = 1;

    bool is_single() const { return batch == 1 && columns == 1; }
    std::string label() const {
        return std::string(upper ? "upper " : "lower ") + (transposed ? "T " : "N ") + (f64 ? "f64 " : "f32 ") +
               std::to_string(n) +
               (is_single() ? "" : " x " + std::to_string(batch) + ", " + std::to_string(columns) + " right-hand sides");
    }
    std::string family() const {
        return std::string("triangular ") + (upper ? "upper " : "lower ") + (transposed ? "T" : "N") +
               (columns == 1 ? "" : " with " + std::to_string(columns) + " right-hand sides");
    }
};

// ---- systems

__host__ __device__ inline unsigned scrambled(unsigned i, unsigned j) {
    unsigned h = i * 0x9E3779B1u ^ j * 0x85EBCA77u;
    h ^= h >> 15;
    h *= 0x2C1B3C6Du;
    h ^= h >> 12;
    h *= 0x297A2D39u;
    return h ^ (h >> 15);
}

/// From -1 to 1.
__host__ __device__ inline double value_of(unsigned i, unsigned j) {
    return static_cast<double>(scrambled(i, j) >> 8) / 8388608.0 - 1.0;
}

/// Entries that come to about 1 in a row; of the diagonal and the other triangle NaN, which no solve should read.
template <typename T>
__global__ void make_matrices(T* matrix, size_t n, size_t batch, bool upper, double size) {
    const size_t at = thread_index();
    if (at >= n * n * batch) return;
    const size_t i = at % n, j = at / n % n;
    const bool inside = upper ? i < j : i > j;
    matrix[at] = inside ? static_cast<T>(size * value_of(i, j)) : static_cast<T>(NAN);
}

template <typename T>
__global__ void make_rhs(T* rhs, size_t n) {
    const size_t i = thread_index();
    if (i < n) rhs[i] = static_cast<T>(value_of(i, 77777u));
}

/// The componentwise backward error of each row: |b - A x| / (|A| |x| + |b|), in f64.
template <typename T>
__global__ void backward_errors(const T* matrix, size_t n, bool upper, bool transposed, const T* rhs, const T* x,
                                double* errors) {
    const size_t row = thread_index();
    if (row >= n) return;
    double residual = rhs[row] - static_cast<double>(x[row]);
    double size = fabs(static_cast<double>(rhs[row])) + fabs(static_cast<double>(x[row]));
    const bool forward = upper != transposed;
    for (size_t k = forward ? row + 1 : 0; k < (forward ? n : row); ++k) {
        const size_t at = transposed ? k + row * n : row + k * n;
        const double term = static_cast<double>(matrix[at]) * x[k];
        residual -= term;
        size += fabs(term);
    }
    errors[row] = residual == 0.0 ? 0.0 : fabs(residual) / size;
}

inline cublasStatus_t trsv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, const float* a,
                           float* x) {
    return cublasStrsv(handle, uplo, trans, CUBLAS_DIAG_UNIT, n, a, n, x, 1);
}

inline cublasStatus_t trsv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n,
                           const double* a, double* x) {
    return cublasDtrsv(handle, uplo, trans, CUBLAS_DIAG_UNIT, n, a, n, x, 1);
}

inline cublasStatus_t trsm(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int columns,
                           const float* const* a, float* const* x, int batch) {
    const float one = 1.0f;
    return cublasStrsmBatched(handle, CUBLAS_SIDE_LEFT, uplo, trans, CUBLAS_DIAG_UNIT, n, columns, &one, a, n, x, n, batch);
}

inline cublasStatus_t trsm(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int columns,
                           const double* const* a, double* const* x, int batch) {
    const double one = 1.0;
    return cublasDtrsmBatched(handle, CUBLAS_SIDE_LEFT, uplo, trans, CUBLAS_DIAG_UNIT, n, columns, &one, a, n, x, n, batch);
}

// ---- cases

template <typename T>
__global__ void make_pointers(T** pointers, T* first, size_t stride, size_t count) {
    const size_t at = thread_index();
    if (at < count) pointers[at] = first + at * stride;
}

/// False if the answer is wrong; it is printed all the same.
template <typename T>
bool run_case(cublasHandle_t handle, const Case& c, const Options& options, double copy, const std::string& adapter) {
    const size_t n = c.n, batch = c.batch, sides = n * c.columns;
    DeviceVector<T> matrix(n * n * batch), rhs(sides * batch), x(sides * batch);
    const double size = 1.0 / std::sqrt(static_cast<double>(n));
    make_matrices<T><<<blocks(n * n * batch), BLOCK>>>(matrix.data(), n, batch, c.upper, size);
    make_rhs<T><<<blocks(sides * batch), BLOCK>>>(rhs.data(), sides * batch);
    DeviceVector<T*> matrices(batch), unknowns(batch);
    make_pointers<T><<<blocks(batch), BLOCK>>>(matrices.data(), matrix.data(), n * n, batch);
    make_pointers<T><<<blocks(batch), BLOCK>>>(unknowns.data(), x.data(), sides, batch);
    CHECK(cudaGetLastError());
    const auto uplo = c.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const auto trans = c.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const auto prepare = [&] {
        CHECK(cudaMemcpyAsync(x.data(), rhs.data(), sides * batch * sizeof(T), cudaMemcpyDeviceToDevice));
    };
    const auto solve = [&] {
        if (c.is_single()) {
            CHECK(trsv(handle, uplo, trans, c.n, matrix.data(), x.data()));
        } else {
            CHECK(trsm(handle, uplo, trans, c.n, c.columns, matrices.data(), unknowns.data(), c.batch));
        }
    };
    const auto seconds = measure(options, options.warm_up, prepare, solve);
    // Of the last right-hand side.
    const size_t last = sides * batch - n;
    DeviceVector<double> on_device(n);
    backward_errors<T><<<blocks(n), BLOCK>>>(matrix.data() + n * n * (batch - 1), n, c.upper, c.transposed,
                                             rhs.data() + last, x.data() + last, on_device.data());
    CHECK(cudaGetLastError());
    double worst = 0.0;
    for (const double error : download(on_device.data(), n)) {
        if (!(error <= worst)) worst = error;
    }
    const double bytes_per_row = ((static_cast<double>(n) + 1.0) / 2.0 + 2.0 * c.columns) * sizeof(T);
    const char* function = c.is_single() ? "cublas trsv" : "cublas trsmBatched";
    print_line({c.family(), function, c.f64, false, c.n, c.batch, bytes_per_row, worst}, seconds, copy, adapter);
    const double bound = (static_cast<double>(n) + 4.0) * (c.f64 ? 1.2e-16 : 6e-8);
    if (!(worst <= bound)) {
        std::fprintf(stderr, "%s: wrong, backward error %g\n", c.label().c_str(), worst);
        return false;
    }
    return true;
}

static std::vector<Case> default_cases() {
    std::vector<Case> cases;
    for (const bool f64 : {false, true}) {
        for (const bool transposed : {false, true}) {
            for (const bool upper : {false, true}) {
                for (const int n : {256, 1024, 4096, 16384, f64 ? 23000 : 32000}) {
                    cases.push_back({upper, transposed, f64, n});
                }
            }
        }
    }
    for (const bool transposed : {false, true}) {
        cases.push_back({false, transposed, false, 64, 8192, 64});
        cases.push_back({false, transposed, false, 256, 2048, 16});
    }
    return cases;
}

static Case parse_case(const std::string& uplo, const std::string& trans, const std::string& precision,
                       const std::string& n) {
    if (uplo != "lower" && uplo != "upper") throw Usage("no triangle '" + uplo + "': lower or upper");
    if (trans != "N" && trans != "T") throw Usage("no operation '" + trans + "': N or T");
    return {uplo == "upper", trans == "T", is_f64(precision), parse_size(n, 1)};
}

static int run(Words& words) {
    Options options;
    std::vector<Case> cases;
    while (words.left()) {
        const std::string option = words.next();
        if (option == "--default") {
            for (const Case& c : default_cases()) cases.push_back(c);
        } else if (option == "--case") {
            std::string field[4];
            for (std::string& text : field) text = words.value("--case UPLO TRANS PRECISION N");
            cases.push_back(parse_case(field[0], field[1], field[2], field[3]));
        } else if (option == "--many") {
            std::string field[6];
            for (std::string& text : field) text = words.value("--many UPLO TRANS PRECISION N MATRICES RIGHT-HAND-SIDES");
            Case many = parse_case(field[0], field[1], field[2], field[3]);
            many.batch = parse_size(field[4], 1);
            many.columns = parse_size(field[5], 1);
            cases.push_back(many);
        } else if (!take_option(options, option, words)) {
            throw Usage("no option '" + option + "'");
        }
    }
    if (cases.empty()) throw Usage("give cases: --default, --case or --many");

    check_device();
    cublasHandle_t handle = nullptr;
    CHECK(cublasCreate(&handle));
    const bool right = run_cases(cases, options, [&](const Case& c, double copy, const std::string& adapter) {
        return c.f64 ? run_case<double>(handle, c, options, copy, adapter)
                     : run_case<float>(handle, c, options, copy, adapter);
    });
    cublasDestroy(handle);
    return right ? 0 : 1;
}

int main(int count, char** words) {
    return exit_code(Words(count, words), run,
                     "usage: cublas [--default] [--case UPLO TRANS PRECISION N]... "
                     "[--many UPLO TRANS PRECISION N MATRICES RIGHT-HAND-SIDES]... [--runs N] [--warm-up SECONDS] [--include-launch]");
}
