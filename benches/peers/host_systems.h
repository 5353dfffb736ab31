// Tridiagonal systems in host memory: tiles to repeat, Matrix Market files, Thomas's algorithm. No CUDA.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// One system; the first of `lower` and the last of `upper` are not used.
template <typename T>
struct HostSystem {
    std::vector<T> lower, diag, upper, rhs;

    explicit HostSystem(size_t rows = 0) : lower(rows), diag(rows), upper(rows), rhs(rows) {}
    size_t rows() const { return diag.size(); }
};

/// The Toeplitz matrix (-1 2 -1) with the right-hand side of the solution of ones.
template <typename T>
HostSystem<T> toeplitz(size_t rows) {
    HostSystem<T> system(rows);
    for (size_t i = 0; i < rows; ++i) {
        system.lower[i] = system.upper[i] = T(-1);
        system.diag[i] = T(2);
    }
    system.rhs.front() += T(1);
    system.rhs.back() += T(1);
    return system;
}

/// As `Entries::Poisson` of our bench: a tile of the Toeplitz matrix (-1 2 -1), with the second differences of random numbers in (-1, 1)
/// as the right-hand side, so that solutions lie in (-2, 2).
template <typename T>
HostSystem<T> poisson_tile(size_t rows) {
    std::mt19937_64 generator(7);
    std::uniform_real_distribution<double> symmetric(-1.0, 1.0);
    std::vector<T> y(rows);
    for (T& value : y) value = static_cast<T>(symmetric(generator));
    HostSystem<T> system(rows);
    for (size_t i = 0; i < rows; ++i) {
        system.lower[i] = system.upper[i] = T(-1);
        system.diag[i] = T(2);
        system.rhs[i] = (y[i] - y[(i + rows - 1) % rows]) + (y[i] - y[(i + 1) % rows]);
    }
    return system;
}

// ---- Matrix Market files

/// The numbers of a Matrix Market file behind its header and comments.
inline std::vector<double> numbers_of(const std::string& path, const std::string& header) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error(path + ": cannot be opened");
    std::string line;
    if (!std::getline(file, line) || line != header) {
        throw std::runtime_error(path + ": its first line should be " + header);
    }
    std::vector<double> numbers;
    while (std::getline(file, line)) {
        if (!line.empty() && line[0] == '%') continue;
        // Not through a stream, which refuses subnormal numbers.
        const char* at = line.c_str();
        for (char* end = nullptr;; at = end) {
            const double number = std::strtod(at, &end);
            if (end == at) break;
            numbers.push_back(number);
        }
    }
    return numbers;
}

/// The values of an array of one column.
inline std::vector<double> read_column(const std::string& path) {
    std::vector<double> numbers = numbers_of(path, "%%MatrixMarket matrix array real general");
    if (numbers.size() < 2 || numbers[1] != 1.0 || numbers.size() - 2 != static_cast<size_t>(numbers[0])) {
        throw std::runtime_error(path + ": should be an array of one column");
    }
    return {numbers.begin() + 2, numbers.end()};
}

/// The system of two files that `trisolve generate` wrote.
template <typename T>
HostSystem<T> read_system(const std::string& matrix, const std::string& rhs) {
    const std::vector<double> right = read_column(rhs);
    const size_t rows = right.size();
    const std::vector<double> numbers = numbers_of(matrix, "%%MatrixMarket matrix coordinate real general");
    if (numbers.size() < 3 || numbers[0] != static_cast<double>(rows) || numbers[1] != numbers[0] ||
        numbers.size() - 3 != 3 * static_cast<size_t>(numbers[2])) {
        throw std::runtime_error(matrix + ": should be a matrix of " + std::to_string(rows) + " rows, as its right-hand side");
    }
    HostSystem<T> system(rows);
    for (size_t at = 3; at < numbers.size(); at += 3) {
        const auto row = static_cast<long long>(numbers[at]), column = static_cast<long long>(numbers[at + 1]);
        const long long last = static_cast<long long>(rows);
        if (row < 1 || row > last || column < 1 || column > last || std::llabs(row - column) > 1) {
            throw std::runtime_error(matrix + ": entry " + std::to_string(row) + " " + std::to_string(column) +
                                     " is not on the three diagonals");
        }
        std::vector<T>& diagonal = column < row ? system.lower : column > row ? system.upper : system.diag;
        diagonal[row - 1] = static_cast<T>(numbers[at + 2]);
    }
    for (size_t i = 0; i < rows; ++i) system.rhs[i] = static_cast<T>(right[i]);
    return system;
}

// ---- errors

/// Thomas's algorithm, with the operations of our `cpu::thomas`. Empty at a zero pivot or an overflow.
template <typename T>
std::vector<T> thomas(const HostSystem<T>& system) {
    const size_t n = system.rows();
    std::vector<T> scaled(n), x(n);
    for (size_t i = 0; i < n; ++i) {
        T pivot = system.diag[i], right = system.rhs[i];
        if (i > 0) {
            pivot -= system.lower[i] * scaled[i - 1];
            right -= system.lower[i] * x[i - 1];
        }
        scaled[i] = i + 1 < n ? system.upper[i] / pivot : T(0);
        x[i] = right / pivot;
        if (!std::isfinite(x[i]) || !std::isfinite(pivot) || pivot == T(0)) return {};
    }
    for (size_t i = n - 1; i-- > 0;) x[i] -= scaled[i] * x[i + 1];
    for (const T value : x) {
        if (!std::isfinite(value)) return {};
    }
    return x;
}

/// ||x - reference|| / ||reference|| as text: "no reference" without one, "failed" unless all numbers are finite.
template <typename T, typename Reference>
std::string relative_distance(const std::vector<T>& x, const std::vector<Reference>& reference) {
    if (reference.empty()) return "no reference";
    if (x.empty()) return "failed";
    double error = 0.0, norm = 0.0;
    for (size_t i = 0; i < x.size(); ++i) {
        if (!std::isfinite(x[i])) return "failed";
        // hypot does not overflow on the way.
        error = std::hypot(error, static_cast<double>(x[i]) - static_cast<double>(reference[i]));
        norm = std::hypot(norm, static_cast<double>(reference[i]));
    }
    if (std::isnan(error / norm)) return "failed";
    std::ostringstream text;
    text.precision(4);
    text << error / norm;
    return text.str();
}
