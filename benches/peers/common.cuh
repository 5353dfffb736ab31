// What the peers' programs share: errors, device memory, timing, cases, what is printed, arguments.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
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

inline void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    const std::string message =
        std::string(call) + ": " + cudaGetErrorName(status) + ", " + cudaGetErrorString(status);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // Not sticky: cleared, so that the next case does not see it.
        throw OutOfMemory(message);
    }
    throw Failure(message);
}

// For programs that include <cusparse.h> or <cublas_v2.h> before this file.
#ifdef CUSPARSE_VERSION
inline void check(cusparseStatus_t status, const char* call) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    const std::string message =
        std::string(call) + ": " + cusparseGetErrorName(status) + ", " + cusparseGetErrorString(status);
    if (status == CUSPARSE_STATUS_ALLOC_FAILED) throw OutOfMemory(message);
    throw Failure(message);
}
#endif

#ifdef CUBLAS_VERSION
inline void check(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS) {
        throw Failure(std::string(call) + ": cuBLAS status " + std::to_string(static_cast<int>(status)));
    }
}
#endif

#define CHECK(...) check((__VA_ARGS__), #__VA_ARGS__)

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

template <typename T>
void upload(T* to, const std::vector<T>& from) {
    CHECK(cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template <typename T>
std::vector<T> download(const T* from, size_t len) {
    std::vector<T> to(len);
    CHECK(cudaMemcpy(to.data(), from, len * sizeof(T), cudaMemcpyDeviceToHost));
    return to;
}

constexpr int BLOCK = 256;

inline unsigned blocks(size_t threads) {
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

__global__ void copy_float4(const float4* source, float4* target, size_t len) {
    const size_t i = thread_index();
    if (i < len) target[i] = source[i];
}

__global__ void spin(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

/// Rows of the repeated tile, as in our bench.
constexpr size_t TILE = size_t{1} << 22;

template <typename T>
void fill(const DeviceVector<T>& out, size_t len, const std::vector<T>& tile) {
    DeviceVector<T> on_device(tile.size());
    upload(on_device.data(), tile);
    repeat_tile<T><<<blocks(len), BLOCK>>>(out.data(), len, on_device.data(), tile.size());
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

// ---- timing

struct Options {
    int runs = 15;
    double warm_up = 0.3;
    bool include_launch = false;
};

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

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
    } while (seconds_since(begin) < warm_up);

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

inline double median(const std::vector<double>& sorted) {
    return sorted[sorted.size() / 2];
}

/// GB/s (read plus written) of a plain copy of 1 GiB, less where memory is short.
inline double copy_bandwidth(const Options& options) {
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    const size_t bytes = std::min<size_t>(size_t{1} << 30, free_bytes / 4) / 16 * 16;
    DeviceVector<float> source(bytes / 4), target(bytes / 4);
    fill(source, bytes / 4, std::vector<float>(TILE, 1.0f));
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

// ---- cases and what is printed

inline void print_header() {
    std::puts(
        "family,algorithm,precision,layout,rows,batch,median_us,min_us,rows_per_s,bytes_per_row,gb_per_s,"
        "copy_gb_per_s,share_of_copy,relative_residual,adapter");
}

/// What was measured, and of what.
struct Line {
    std::string family, algorithm;
    bool f64;
    bool interleaved;
    int rows;
    int batch;
    /// The least that any solver moves: peers do not say what they move, so their share of the copy bandwidth is that
    /// of an ideal one of the same speed.
    double bytes_per_row;
    double residual;
};

inline void print_line(const Line& line, const std::vector<double>& seconds, double copy, const std::string& adapter) {
    const double rows_per_s = static_cast<double>(line.rows) * line.batch / median(seconds);
    const double gb_per_s = rows_per_s * line.bytes_per_row / 1e9;
    std::printf("%s,\"%s\",%s,%s,%d,%d,%.6g,%.6g,%.8g,%g,%.6g,%.6g,%.6g,%.4g,%s\n", line.family.c_str(),
                line.algorithm.c_str(), line.f64 ? "f64" : "f32", line.interleaved ? "interleaved" : "contiguous",
                line.rows, line.batch, median(seconds) * 1e6, seconds.front() * 1e6, rows_per_s, line.bytes_per_row,
                gb_per_s, copy, gb_per_s / copy, line.residual, adapter.c_str());
    std::fflush(stdout);
}

/// Whether every case gave a right result. Skips cases that do not fit into memory; an error counts as wrong.
template <typename Case, typename Label, typename Work>
bool run_each(const std::vector<Case>& cases, Label label, Work work) {
    bool right = true;
    for (const Case& c : cases) {
        try {
            right = work(c) && right;
        } catch (const OutOfMemory& error) {
            std::fprintf(stderr, "skipped %s: %s\n", label(c).c_str(), error.what());
        } catch (const Failure& error) {
            std::fprintf(stderr, "%s: %s\n", label(c).c_str(), error.what());
            right = false;
        }
    }
    return right;
}

/// Prints the CSV's header, then runs each case. `work` also takes the copy bandwidth and the adapter's name.
template <typename Case, typename Work>
bool run_cases(const std::vector<Case>& cases, const Options& options, Work work) {
    cudaDeviceProp properties{};
    CHECK(cudaGetDeviceProperties(&properties, 0));
    const double copy = copy_bandwidth(options);
    std::fprintf(stderr, "%s, copy %.0f GB/s, %zu cases\n", properties.name, copy, cases.size());
    print_header();
    return run_each(
        cases, [](const Case& c) { return c.label(); },
        [&](const Case& c) { return work(c, copy, std::string(properties.name)); });
}

inline void check_device() {
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices == 0) throw Failure("no CUDA device");
}

// ---- arguments

/// The words of a command line, from the first to the last.
class Words {
public:
    Words(int count, char** words) : words_(words + 1, words + count) {}
    bool left() const { return at_ < words_.size(); }
    const std::string& next() { return words_[at_++]; }
    /// The word behind an option.
    const std::string& value(const char* option) {
        if (!left()) throw Usage(std::string(option) + ": a value is missing");
        return next();
    }

private:
    std::vector<std::string> words_;
    size_t at_ = 0;
};

/// The exit code of `run`; 2 for bad usage, 1 for other errors.
template <typename Run>
int exit_code(Words words, Run run, const std::string& usage) {
    try {
        return run(words);
    } catch (const Usage& error) {
        std::fprintf(stderr, "%s\n%s\n", error.what(), usage.c_str());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}

inline bool is_f64(const std::string& precision) {
    if (precision != "f32" && precision != "f64") throw Usage("no precision '" + precision + "': f32 or f64");
    return precision == "f64";
}

/// A whole number from `least` to INT_MAX, also as 2^24.
inline int parse_size(const std::string& text, long long least) {
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

/// Whether a word is one of the options of all programs; `words` begins with the word behind it.
inline bool take_option(Options& options, const std::string& option, Words& words) {
    if (option == "--runs") {
        options.runs = parse_size(words.value("--runs"), 1);
    } else if (option == "--warm-up") {
        const std::string& text = words.value("--warm-up");
        char* end = nullptr;
        options.warm_up = std::strtod(text.c_str(), &end);
        if (end == text.c_str() || *end != '\0' || !(options.warm_up >= 0.0 && options.warm_up < 3600.0)) {
            throw Usage("--warm-up '" + text + "': should be seconds");
        }
    } else if (option == "--include-launch") {
        options.include_launch = true;
    } else {
        return false;
    }
    return true;
}
