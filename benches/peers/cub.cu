// Times and checks linear recurrences w[i] = s[i] w[i-1] + t[i] by CUB's scan, with the operator that composes affine
// maps, as `trisolve bench recurrence` does ours.
//
// Build: nvcc -O3 -std=c++17 -arch=native cub.cu -o cub
//
//   ./cub --default                      the cases of the project's table
//   ./cub --case both f32 2^24 1         COEFFICIENTS PRECISION ROWS BATCH; repeats
//
// COEFFICIENTS: both, constant-s. One sequence goes through DeviceScan::InclusiveScan, several through
// DeviceScan::InclusiveScanByKey with the sequence's number as key. The scan reads s and t where they lie and writes
// w alone. Other options as cusparse.cu's: --runs N (15), --warm-up SECONDS (0.3), --include-launch. CSV on stdout, all
// else on stderr. Exit 0, 1 when a case failed or was wrong, 2 for bad usage. A case that does not fit the memory is
// skipped.

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <random>

#include "common.cuh"

struct Case {
    bool constant_s;
    bool f64;
    int rows;
    int batch;

    size_t len() const { return static_cast<size_t>(rows) * static_cast<size_t>(batch); }
    std::string label() const {
        return std::string(constant_s ? "constant-s" : "both") + (f64 ? " f64 " : " f32 ") + std::to_string(rows) +
               " x " + std::to_string(batch);
    }
};

// ---- the scan

/// w -> s w + t.
template <typename T>
struct Map {
    T s, t;
};

template <typename T>
struct Compose {
    __host__ __device__ Map<T> operator()(const Map<T>& first, const Map<T>& second) const {
        return {second.s * first.s, second.s * first.t + second.t};
    }
};

template <typename T>
struct Load {
    const T* s;
    const T* t;
    T constant;
    __host__ __device__ Map<T> operator()(size_t i) const { return {s ? s[i] : constant, t[i]}; }
};

/// Sequences begin with 0, so the summand is the value.
template <typename T>
struct Summand {
    __host__ __device__ T operator()(const Map<T>& map) const { return map.t; }
};

struct Sequence {
    size_t rows;
    __host__ __device__ int operator()(size_t i) const { return static_cast<int>(i / rows); }
};

template <typename T>
class Recurrence {
public:
    static constexpr double CONSTANT = 0.75;

    explicit Recurrence(const Case& c)
        : case_(c), s_(c.constant_s ? 0 : c.len()), t_(c.len()), w_(c.len()), scratch_(scan(nullptr, 0)) {
        std::mt19937_64 generator(7);
        std::uniform_real_distribution<double> symmetric(-1.0, 1.0);
        for (DeviceVector<T>* vector : {&s_, &t_}) {
            if (vector == &s_ && c.constant_s) continue;
            std::vector<T> tile(std::min(c.len(), TILE));
            for (T& value : tile) value = static_cast<T>(symmetric(generator));
            fill(*vector, c.len(), tile);
        }
    }

    void solve() { scan(scratch_.data(), bytes_); }

    const T* s() const { return case_.constant_s ? nullptr : s_.data(); }
    const T* t() const { return t_.data(); }
    const T* w() const { return w_.data(); }

private:
    /// Bytes of scratch needed, where none is given.
    size_t scan(void* scratch, size_t bytes) {
        const auto maps = thrust::make_transform_iterator(thrust::counting_iterator<size_t>(0),
                                                          Load<T>{s(), t(), static_cast<T>(CONSTANT)});
        const auto values = thrust::make_transform_output_iterator(w_.data(), Summand<T>{});
        if (case_.batch == 1) {
            CHECK(cub::DeviceScan::InclusiveScan(scratch, bytes, maps, values, Compose<T>{}, case_.len()));
        } else {
            const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<size_t>(0),
                                                              Sequence{static_cast<size_t>(case_.rows)});
            CHECK(cub::DeviceScan::InclusiveScanByKey(scratch, bytes, keys, maps, values, Compose<T>{}, case_.len()));
        }
        bytes_ = bytes;
        return bytes;
    }

    const Case& case_;
    DeviceVector<T> s_, t_, w_;
    size_t bytes_ = 0;
    DeviceVector<unsigned char> scratch_;  // Last: its size is asked for with the vectors above.
};

// ---- the check

template <typename T>
__global__ void residual_sums(const T* s, T constant, const T* t, const T* w, size_t rows, size_t len, double2* sums) {
    const size_t id = thread_index();
    const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
    double error = 0.0;
    double norm = 0.0;
    for (size_t i = id; i < len; i += threads) {
        const double before = i % rows == 0 ? 0.0 : static_cast<double>(w[i - 1]);
        const double value = static_cast<double>(w[i]);
        const double off = value - static_cast<double>(s ? s[i] : constant) * before - static_cast<double>(t[i]);
        error += off * off;
        norm += value * value;
    }
    sums[id] = make_double2(error, norm);
}

/// ||w[i] - s[i] w[i-1] - t[i]|| / ||w|| over all rows, in f64.
template <typename T>
double relative_residual(const Case& c, const Recurrence<T>& recurrence) {
    constexpr size_t COUNT = 1024 * BLOCK;
    DeviceVector<double2> on_device(COUNT);
    residual_sums<T><<<blocks(COUNT), BLOCK>>>(recurrence.s(), static_cast<T>(Recurrence<T>::CONSTANT),
                                               recurrence.t(), recurrence.w(), c.rows, c.len(), on_device.data());
    CHECK(cudaGetLastError());
    double error = 0.0, norm = 0.0;
    for (const double2& sum : download(on_device.data(), COUNT)) {
        error += sum.x;
        norm += sum.y;
    }
    return std::sqrt(error / norm);
}

// ---- cases

/// False if the answer is wrong; it is printed all the same.
template <typename T>
bool run_case(const Case& c, const Options& options, double copy, const std::string& adapter) {
    Recurrence<T> recurrence(c);
    const auto seconds = measure(options, options.warm_up, [] {}, [&] { recurrence.solve(); });
    const double residual = relative_residual(c, recurrence);
    print_line({c.constant_s ? "recurrence with constant s" : "recurrence",
                c.batch == 1 ? "cub InclusiveScan" : "cub InclusiveScanByKey", c.f64, false, c.rows, c.batch,
                (c.constant_s ? 2.0 : 3.0) * sizeof(T), residual},
               seconds, copy, adapter);
    const double bound = c.f64 ? 1e-13 : 1e-5;
    if (!(residual <= bound)) {
        std::fprintf(stderr, "%s: wrong, relative residual %g\n", c.label().c_str(), residual);
        return false;
    }
    return true;
}

static std::vector<Case> default_cases() {
    return {{false, false, 1 << 27, 1}, {false, false, 1 << 24, 1}, {false, false, 1 << 20, 1},
            {false, false, 1024, 1},    {true, false, 1 << 27, 1},  {false, true, 1 << 26, 1},
            {false, false, 65536, 1536}};
}

static Case parse_case(const std::string& coefficients, const std::string& precision, const std::string& rows,
                       const std::string& batch) {
    if (coefficients != "both" && coefficients != "constant-s") {
        throw Usage("no coefficients '" + coefficients + "': both or constant-s");
    }
    return {coefficients == "constant-s", is_f64(precision), parse_size(rows, 1), parse_size(batch, 1)};
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
            for (std::string& text : field) text = words.value("--case COEFFICIENTS PRECISION ROWS BATCH");
            cases.push_back(parse_case(field[0], field[1], field[2], field[3]));
        } else if (!take_option(options, option, words)) {
            throw Usage("no option '" + option + "'");
        }
    }
    if (cases.empty()) throw Usage("give cases: --default or --case");

    check_device();
    const auto work = [&](const Case& c, double copy, const std::string& adapter) {
        return c.f64 ? run_case<double>(c, options, copy, adapter) : run_case<float>(c, options, copy, adapter);
    };
    return run_cases(cases, options, work) ? 0 : 1;
}

int main(int count, char** words) {
    return exit_code(Words(count, words), run,
                     "usage: cub [--default] [--case COEFFICIENTS PRECISION ROWS BATCH]... [--runs N] "
                     "[--warm-up SECONDS] [--include-launch]");
}
