// What the peers' programs share: errors, device memory, timing, what is printed and asked for.
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
    CHECK(cudaMemcpy(on_device.data(), tile.data(), tile.size() * sizeof(T), cudaMemcpyHostToDevice));
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

// ---- what is printed and asked for

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

/// Whether a word is one of the options of all programs; `value` gives the word behind it.
template <typename Value>
bool take_option(Options& options, const std::string& option, Value value) {
    if (option == "--runs") {
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
        return false;
    }
    return true;
}
