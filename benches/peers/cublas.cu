// Times cuBLAS's triangular solves (trsv) on the cases of `trisolve bench triangular`, and prints the same CSV.
//
//   nvcc -O3 -std=c++17 -arch=native cublas.cu -lcublas -o cublas
//   cublas --default
//   cublas --case lower N f32 4096 --runs 15 --warm-up 0.3
//
// A matrix with ones on its diagonal, column by column without gaps, one right-hand side. The solve is in place: the right-hand
// side is copied to its place before each run, outside of what is timed.

#include <cublas_v2.h>

#include "common.cuh"

struct Case {
    bool upper;
    bool transposed;
    bool f64;
    int n;

    std::string label() const {
        return std::string(upper ? "upper " : "lower ") + (transposed ? "T " : "N ") + (f64 ? "f64 " : "f32 ") +
               std::to_string(n);
    }
    std::string family() const {
        return std::string("triangular ") + (upper ? "upper " : "lower ") + (transposed ? "T" : "N");
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
__global__ void make_matrix(T* matrix, size_t n, bool upper, double size) {
    const size_t at = thread_index();
    if (at >= n * n) return;
    const size_t i = at % n, j = at / n;
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

// ---- cases

/// False if the answer is wrong; it is printed all the same.
template <typename T>
bool run_case(cublasHandle_t handle, const Case& c, const Options& options, double copy, const std::string& adapter) {
    const size_t n = c.n;
    DeviceVector<T> matrix(n * n), rhs(n), x(n);
    make_matrix<T><<<blocks(n * n), BLOCK>>>(matrix.data(), n, c.upper, 1.0 / std::sqrt(static_cast<double>(n)));
    make_rhs<T><<<blocks(n), BLOCK>>>(rhs.data(), n);
    CHECK(cudaGetLastError());
    const auto uplo = c.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const auto trans = c.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
    const auto prepare = [&] {
        CHECK(cudaMemcpyAsync(x.data(), rhs.data(), n * sizeof(T), cudaMemcpyDeviceToDevice));
    };
    const auto seconds = measure(options, options.warm_up, prepare,
                                 [&] { CHECK(trsv(handle, uplo, trans, c.n, matrix.data(), x.data())); });
    DeviceVector<double> on_device(n);
    backward_errors<T><<<blocks(n), BLOCK>>>(matrix.data(), n, c.upper, c.transposed, rhs.data(), x.data(),
                                             on_device.data());
    CHECK(cudaGetLastError());
    double worst = 0.0;
    for (const double error : download(on_device.data(), n)) {
        if (!(error <= worst)) worst = error;
    }
    const double bytes_per_row = ((static_cast<double>(n) + 1.0) / 2.0 + 2.0) * sizeof(T);
    print_line({c.family(), "cublas trsv", c.f64, false, c.n, 1, bytes_per_row, worst}, seconds, copy, adapter);
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
        } else if (!take_option(options, option, words)) {
            throw Usage("no option '" + option + "'");
        }
    }
    if (cases.empty()) throw Usage("give cases: --default or --case");

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
                     "usage: cublas [--default] [--case UPLO TRANS PRECISION N]... [--runs N] "
                     "[--warm-up SECONDS] [--include-launch]");
}
