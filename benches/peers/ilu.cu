// Times BiCGSTAB with cuSPARSE's incomplete LU as preconditioner: csrilu02 factors, SpSV solves with the factors.
//
// Build: nvcc -O3 -std=c++17 -arch=native ilu.cu -lcusparse -lcublas -o ilu
//
//   ./ilu --file Gas2000 matrix rhs      NAME MATRIX RHS, as `trisolve generate MATRIX RHS --binary` writes them; repeats
//
// Other options: --runs N (15), --warm-up SECONDS (0.3), --limit SECONDS (20). A case is skipped if, by the rate of the case before, a run
// would take longer than the limit. f64, relative residual 1e-7. CSV on stdout, all else on stderr. prepare_ms: analysis, factorization and
// analysis of the factors. wall_ms: the solve, by the host's clock. Exit 0, 1 when a case failed or was wrong, 2 for bad usage.

#include <cublas_v2.h>
#include <cusparse.h>

#include <cstdint>
#include <fstream>
#include <memory>

#include "common.cuh"

constexpr double TOLERANCE = 1e-7;
constexpr int MOST = 1000;

struct System {
    int rows = 0, entries = 0;
    std::vector<int> starts, columns;
    std::vector<double> values, rhs;
};

template <typename T>
static void read(std::ifstream& file, const std::string& path, std::vector<T>& into, size_t count) {
    into.resize(count);
    file.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(count * sizeof(T)));
    if (!file) throw Failure(path + ": is too short");
}

static System read_system(const std::string& matrix, const std::string& rhs) {
    System made;
    std::ifstream file(matrix, std::ios::binary), right(rhs, std::ios::binary);
    if (!file) throw Failure(matrix + ": cannot be read");
    if (!right) throw Failure(rhs + ": cannot be read");
    std::vector<uint64_t> counts;
    read(file, matrix, counts, 2);
    if (counts[0] >= INT_MAX || counts[1] >= INT_MAX) throw Failure(matrix + ": is too large");
    made.rows = static_cast<int>(counts[0]);
    made.entries = static_cast<int>(counts[1]);
    read(file, matrix, made.starts, counts[0] + 1);
    read(file, matrix, made.columns, counts[1]);
    read(file, matrix, made.values, counts[1]);
    read(right, rhs, made.rhs, counts[0]);
    return made;
}

class Libraries {
public:
    Libraries() {
        CHECK(cusparseCreate(&sparse));
        CHECK(cublasCreate(&blas));
    }
    ~Libraries() {
        cublasDestroy(blas);
        cusparseDestroy(sparse);
    }
    Libraries(const Libraries&) = delete;
    Libraries& operator=(const Libraries&) = delete;
    cusparseHandle_t sparse = nullptr;
    cublasHandle_t blas = nullptr;
};

/// A vector for cuSPARSE.
class Vector {
public:
    explicit Vector(int len) : data_(len) { CHECK(cusparseCreateDnVec(&descriptor_, len, data_.data(), CUDA_R_64F)); }
    ~Vector() { cusparseDestroyDnVec(descriptor_); }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    double* data() const { return data_.data(); }
    cusparseDnVecDescr_t descriptor() const { return descriptor_; }

private:
    DeviceVector<double> data_;
    cusparseDnVecDescr_t descriptor_ = nullptr;
};

/// A view of a matrix in compressed rows.
class Matrix {
public:
    Matrix(const System& system, int* starts, int* columns, double* values) {
        CHECK(cusparseCreateCsr(&descriptor_, system.rows, system.rows, system.entries, starts, columns, values,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    }
    ~Matrix() { cusparseDestroySpMat(descriptor_); }
    Matrix(const Matrix&) = delete;
    Matrix& operator=(const Matrix&) = delete;
    cusparseSpMatDescr_t descriptor() const { return descriptor_; }

private:
    cusparseSpMatDescr_t descriptor_ = nullptr;
};

/// Solves with one triangle of the factors.
class Triangle {
public:
    Triangle(const Libraries& libraries, const System& system, int* starts, int* columns, double* factors, bool lower,
             const Vector& from, const Vector& to)
        : libraries_(libraries), matrix_(system, starts, columns, factors) {
        cusparseFillMode_t fill = lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
        cusparseDiagType_t diagonal = lower ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
        CHECK(cusparseSpMatSetAttribute(matrix_.descriptor(), CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
        CHECK(cusparseSpMatSetAttribute(matrix_.descriptor(), CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof(diagonal)));
        CHECK(cusparseSpSV_createDescr(&descriptor_));
        size_t bytes = 0;
        CHECK(cusparseSpSV_bufferSize(libraries.sparse, OPERATION, &ONE, matrix_.descriptor(), from.descriptor(),
                                      to.descriptor(), CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descriptor_, &bytes));
        buffer_.reset(new DeviceVector<char>(bytes));
        CHECK(cusparseSpSV_analysis(libraries.sparse, OPERATION, &ONE, matrix_.descriptor(), from.descriptor(),
                                    to.descriptor(), CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descriptor_,
                                    buffer_->data()));
    }
    ~Triangle() { cusparseSpSV_destroyDescr(descriptor_); }
    Triangle(const Triangle&) = delete;
    Triangle& operator=(const Triangle&) = delete;

    void solve(const Vector& from, const Vector& to) const {
        CHECK(cusparseSpSV_solve(libraries_.sparse, OPERATION, &ONE, matrix_.descriptor(), from.descriptor(),
                                 to.descriptor(), CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, descriptor_));
    }

private:
    static constexpr cusparseOperation_t OPERATION = CUSPARSE_OPERATION_NON_TRANSPOSE;
    static constexpr double ONE = 1.0;
    const Libraries& libraries_;
    Matrix matrix_;
    cusparseSpSVDescr_t descriptor_ = nullptr;
    std::unique_ptr<DeviceVector<char>> buffer_;
};

/// The incomplete factors, in the pattern of the matrix.
static void factor(const Libraries& libraries, const System& system, int* starts, int* columns, double* values) {
    cusparseMatDescr_t descriptor;
    csrilu02Info_t info;
    CHECK(cusparseCreateMatDescr(&descriptor));
    CHECK(cusparseCreateCsrilu02Info(&info));
    int bytes = 0;
    CHECK(cusparseDcsrilu02_bufferSize(libraries.sparse, system.rows, system.entries, descriptor, values, starts, columns,
                                       info, &bytes));
    DeviceVector<char> buffer(static_cast<size_t>(bytes));
    CHECK(cusparseDcsrilu02_analysis(libraries.sparse, system.rows, system.entries, descriptor, values, starts, columns,
                                     info, CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer.data()));
    CHECK(cusparseDcsrilu02(libraries.sparse, system.rows, system.entries, descriptor, values, starts, columns, info,
                            CUSPARSE_SOLVE_POLICY_USE_LEVEL, buffer.data()));
    int row = -1;
    const cusparseStatus_t pivot = cusparseXcsrilu02_zeroPivot(libraries.sparse, info, &row);
    cusparseDestroyCsrilu02Info(info);
    cusparseDestroyMatDescr(descriptor);
    if (pivot == CUSPARSE_STATUS_ZERO_PIVOT) throw Failure("zero pivot in row " + std::to_string(row));
    check(pivot, "cusparseXcsrilu02_zeroPivot");
}

/// BiCGSTAB, preconditioned from the right.
class Solver {
public:
    Solver(const Libraries& libraries, const System& system)
        : libraries_(libraries),
          n_(system.rows),
          starts_(system.starts.size()),
          columns_(system.columns.size()),
          values_(system.values.size()),
          factors_(system.values.size()),
          rhs_(n_), x_(n_), r_(n_), shadow_(n_), p_(n_), v_(n_), t_(n_), half_(n_), p_hat_(n_), s_hat_(n_) {
        upload(starts_.data(), system.starts);
        upload(columns_.data(), system.columns);
        upload(values_.data(), system.values);
        upload(rhs_.data(), system.rhs);
        matrix_.reset(new Matrix(system, starts_.data(), columns_.data(), values_.data()));
        size_t bytes = 0;
        const double one = 1.0, zero = 0.0;
        CHECK(cusparseSpMV_bufferSize(libraries.sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_->descriptor(),
                                      p_.descriptor(), &zero, v_.descriptor(), CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                                      &bytes));
        buffer_.reset(new DeviceVector<char>(bytes));
        CHECK(cudaDeviceSynchronize());
        const auto begin = std::chrono::steady_clock::now();
        CHECK(cudaMemcpy(factors_.data(), values_.data(), sizeof(double) * system.values.size(),
                         cudaMemcpyDeviceToDevice));
        factor(libraries, system, starts_.data(), columns_.data(), factors_.data());
        lower_.reset(new Triangle(libraries, system, starts_.data(), columns_.data(), factors_.data(), true, p_, half_));
        upper_.reset(
            new Triangle(libraries, system, starts_.data(), columns_.data(), factors_.data(), false, half_, p_hat_));
        CHECK(cudaDeviceSynchronize());
        prepare = seconds_since(begin);
    }

    /// Iterations until the residual is small enough, or MOST.
    int solve() const {
        copy(rhs_, r_);
        copy(rhs_, shadow_);
        copy(rhs_, p_);
        CHECK(cudaMemset(x_.data(), 0, sizeof(double) * static_cast<size_t>(n_)));
        const double bound = TOLERANCE * std::sqrt(dot(rhs_, rhs_));
        double rho = dot(shadow_, r_);
        for (int iteration = 0; iteration < MOST; ++iteration) {
            if (!(std::sqrt(dot(r_, r_)) > bound)) return iteration;
            precondition(p_, p_hat_);
            multiply(p_hat_, v_);
            const double alpha = rho / dot(shadow_, v_);
            add(-alpha, v_, r_);
            precondition(r_, s_hat_);
            multiply(s_hat_, t_);
            const double omega = dot(t_, r_) / dot(t_, t_);
            add(alpha, p_hat_, x_);
            add(omega, s_hat_, x_);
            add(-omega, t_, r_);
            const double before = rho;
            rho = dot(shadow_, r_);
            const double beta = rho / before * (alpha / omega);
            add(-omega, v_, p_);
            CHECK(cublasDscal(libraries_.blas, n_, &beta, p_.data(), 1));
            add(1.0, r_, p_);
        }
        return MOST;
    }

    double relative_residual() const {
        multiply(x_, v_);
        add(-1.0, rhs_, v_);
        return std::sqrt(dot(v_, v_) / dot(rhs_, rhs_));
    }

    double prepare = 0.0;

private:
    void copy(const Vector& from, const Vector& to) const {
        CHECK(cublasDcopy(libraries_.blas, n_, from.data(), 1, to.data(), 1));
    }
    double dot(const Vector& a, const Vector& b) const {
        double sum = 0.0;
        CHECK(cublasDdot(libraries_.blas, n_, a.data(), 1, b.data(), 1, &sum));
        return sum;
    }
    void add(double factor, const Vector& from, const Vector& to) const {
        CHECK(cublasDaxpy(libraries_.blas, n_, &factor, from.data(), 1, to.data(), 1));
    }
    void multiply(const Vector& from, const Vector& to) const {
        const double one = 1.0, zero = 0.0;
        CHECK(cusparseSpMV(libraries_.sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_->descriptor(),
                           from.descriptor(), &zero, to.descriptor(), CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                           buffer_->data()));
    }
    void precondition(const Vector& from, const Vector& to) const {
        lower_->solve(from, half_);
        upper_->solve(half_, to);
    }

    const Libraries& libraries_;
    int n_;
    DeviceVector<int> starts_, columns_;
    DeviceVector<double> values_, factors_;
    Vector rhs_, x_, r_, shadow_, p_, v_, t_, half_, p_hat_, s_hat_;
    std::unique_ptr<Matrix> matrix_;
    std::unique_ptr<DeviceVector<char>> buffer_;
    std::unique_ptr<Triangle> lower_, upper_;
};

struct File {
    std::string name, matrix, rhs;
};

/// Whether the answer is right. `rate`: seconds per row of a run so far.
static bool measure_file(const Options& options, const File& file, double limit, double& rate, const std::string& adapter) {
    const System system = read_system(file.matrix, file.rhs);
    if (rate * system.rows > limit) {
        std::fprintf(stderr, "skipped %s: a run would take about %.0f s\n", file.name.c_str(), rate * system.rows);
        return true;
    }
    const Libraries libraries;
    const Solver solver(libraries, system);
    int iterations = 0;
    const auto timed = [&] {
        CHECK(cudaDeviceSynchronize());
        const auto begin = std::chrono::steady_clock::now();
        iterations = solver.solve();
        CHECK(cudaDeviceSynchronize());
        return seconds_since(begin);
    };
    // A slow case runs once.
    std::vector<double> seconds = {timed()};
    if (seconds[0] < limit / (options.runs + 1)) {
        for (double spent = seconds[0]; spent < options.warm_up;) spent += timed();
        seconds.clear();
        for (int run = 0; run < options.runs; ++run) seconds.push_back(timed());
    }
    std::sort(seconds.begin(), seconds.end());
    rate = (median(seconds) + solver.prepare) / system.rows;
    const double residual = solver.relative_residual();
    const bool right = residual <= 2 * TOLERANCE;
    std::printf("quasi-tridiagonal,cusparse bicgstab,ilu0,f64,%s,%d,%d,%d,%s,%.4g,%.6g,%.6g,%s\n", file.name.c_str(),
                system.rows, system.entries, iterations, right ? "converged" : "has not converged", residual,
                solver.prepare * 1e3, median(seconds) * 1e3, adapter.c_str());
    std::fflush(stdout);
    return right;
}

int main(int count, char** arguments) {
    try {
        Options options;
        double limit = 20.0;
        std::vector<File> files;
        Words words(count, arguments);
        while (words.left()) {
            const std::string option = words.next();
            if (option == "--file") {
                File file;
                file.name = words.value("--file");
                file.matrix = words.value("--file");
                file.rhs = words.value("--file");
                files.push_back(file);
            } else if (option == "--limit") {
                limit = std::strtod(words.value("--limit").c_str(), nullptr);
                if (!(limit > 0.0)) throw Usage("--limit: should be seconds");
            } else if (!take_option(options, option, words)) {
                throw Usage("no option " + option);
            }
        }
        if (files.empty()) throw Usage("no --file NAME MATRIX RHS");
        cudaDeviceProp properties;
        CHECK(cudaGetDeviceProperties(&properties, 0));
        std::puts(
            "family,algorithm,preconditioner,precision,system,rows,entries,iterations,outcome,relative_residual,prepare_ms,"
            "wall_ms,adapter");
        double rate = 0.0;
        const bool right = run_each(
            files, [](const File& file) { return file.name; },
            [&](const File& file) { return measure_file(options, file, limit, rate, properties.name); });
        return right ? 0 : 1;
    } catch (const Usage& error) {
        std::fprintf(stderr, "ilu: %s; see the top of ilu.cu\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ilu: %s\n", error.what());
        return 1;
    }
}
