// Times trsv of a BLAS on the host's processors, and prints the CSV of `trisolve bench triangular`.
//
//   cc -O3 -march=native host_trsv.c -ldl -lm -o host_trsv
//   host_trsv [--library PATH] [--runs N] TRANS PRECISION N...
//   host_trsv --library libopenblas.so.0 N f64 16 256 4096
//
// PATH is a shared library with the C interface of BLAS (cblas_strsv and cblas_dtrsv), for example OpenBLAS, or the copy of it that NumPy
// brings. Without a library, a plain substitution takes its place: column by column (N) or by dot products (T), on one core, as the compiler
// vectorises it. The matrix is lower with ones on its diagonal, stored column by column without gaps; there is one right-hand side.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COLUMN_MAJOR = 102, NO_TRANS = 111, TRANS = 112, LOWER = 122, UNIT = 132 };

// With 32-bit or 64-bit lengths: on 64-bit machines both come in registers, so that one type of call serves both.
typedef void (*Trsv)(int order, int uplo, int trans, int diag, int64_t n, const void* a, int64_t lda, void* x, int64_t inc);

static Trsv library_trsv(const char* path, int f64) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "host_trsv: %s\n", dlerror());
        exit(1);
    }
    const char* before[] = {"", "scipy_"};
    const char* after[] = {"", "64_"};
    for (int i = 0; i < 4; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%scblas_%ctrsv%s", before[i / 2], f64 ? 'd' : 's', after[i % 2]);
        void* found = dlsym(library, name);
        if (found) {
            Trsv trsv;
            memcpy(&trsv, &found, sizeof trsv);
            return trsv;
        }
    }
    fprintf(stderr, "host_trsv: %s: no cblas_%ctrsv\n", path, f64 ? 'd' : 's');
    exit(1);
}

#define DEFINE(NAME, REAL)                                                                     \
    static void NAME##_own(int trans, int64_t n, const REAL* a, REAL* x) {                     \
        if (trans == NO_TRANS) {                                                               \
            for (int64_t j = 0; j < n; ++j) {                                                  \
                const REAL* column = a + j * n;                                                \
                const REAL known = x[j];                                                       \
                for (int64_t i = j + 1; i < n; ++i) x[i] -= column[i] * known;                 \
            }                                                                                  \
        } else {                                                                               \
            for (int64_t j = n - 1; j >= 0; --j) {                                             \
                const REAL* column = a + j * n;                                                \
                REAL sums[16] = {0};                                                           \
                int64_t i = j + 1;                                                             \
                for (; i + 16 <= n; i += 16)                                                   \
                    for (int k = 0; k < 16; ++k) sums[k] += column[i + k] * x[i + k];          \
                REAL sum = 0;                                                                  \
                for (; i < n; ++i) sum += column[i] * x[i];                                    \
                for (int k = 0; k < 16; ++k) sum += sums[k];                                   \
                x[j] -= sum;                                                                   \
            }                                                                                  \
        }                                                                                      \
    }                                                                                          \
    static void NAME##_fill(int64_t n, REAL* a) {                                              \
        uint64_t state = 88172645463325252ull;                                                 \
        const double size = 1.0 / sqrt((double)n);                                             \
        const int64_t tile = n * n < 65521 ? n * n : 65521;                                    \
        for (int64_t at = 0; at < tile; ++at) {                                                \
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;                   \
            a[at] = (REAL)(size * ((double)(state >> 11) / 4503599627370496.0 - 1.0));         \
        }                                                                                      \
        for (int64_t at = tile; at < n * n; at += tile) {                                      \
            const int64_t count = n * n - at < tile ? n * n - at : tile;                       \
            memcpy(a + at, a, count * sizeof(REAL));                                           \
        }                                                                                      \
    }                                                                                          \
    static double NAME##_error(int trans, int64_t n, const REAL* a, const REAL* b, const REAL* x) { \
        double* left = malloc(n * sizeof(double));                                             \
        double* size = malloc(n * sizeof(double));                                             \
        for (int64_t i = 0; i < n; ++i) left[i] = b[i] - (double)x[i], size[i] = fabs(b[i]) + fabs(x[i]); \
        for (int64_t j = 0; j < n; ++j)                                                        \
            for (int64_t i = j + 1; i < n; ++i) {                                              \
                const double term = (double)a[i + j * n] * x[trans == NO_TRANS ? j : i];       \
                const int64_t row = trans == NO_TRANS ? i : j;                                 \
                left[row] -= term, size[row] += fabs(term);                                    \
            }                                                                                  \
        double worst = 0;                                                                      \
        for (int64_t i = 0; i < n; ++i) {                                                      \
            const double error = left[i] == 0 ? 0 : fabs(left[i]) / size[i];                   \
            if (!(error <= worst)) worst = error;                                              \
        }                                                                                      \
        free(left), free(size);                                                                \
        return worst;                                                                          \
    }

DEFINE(single, float)
DEFINE(wide, double)

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static int by_size(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// Bytes per second of a copy by one core.
static double copy_bandwidth(void) {
    const size_t bytes = (size_t)256 << 20;
    char *from = malloc(bytes), *to = malloc(bytes);
    if (!from || !to) exit(1);
    memset(from, 1, bytes);
    double best = 0;
    for (int run = 0; run < 4; ++run) {
        const double start = now();
        memcpy(to, from, bytes);
        const double rate = 2.0 * bytes / (now() - start);
        if (rate > best) best = rate;
    }
    if (to[bytes - 1] != 1) exit(1);
    free(from), free(to);
    return best;
}

static void processor(char* name, size_t room) {
    snprintf(name, room, "the host");
    FILE* file = fopen("/proc/cpuinfo", "r");
    char line[512];
    while (file && fgets(line, sizeof line, file)) {
        char* value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value) {
            value[strcspn(value, "\n")] = 0;
            snprintf(name, room, "%s", value + 2);
            break;
        }
    }
    if (file) fclose(file);
}

static void usage(void) {
    fprintf(stderr, "usage: host_trsv [--library PATH] [--runs N] TRANS(N or T) PRECISION(f32 or f64) N...\n");
    exit(2);
}

int main(int count, char** words) {
    const char* path = NULL;
    int runs = 15, at = 1;
    for (; at + 1 < count && strncmp(words[at], "--", 2) == 0; at += 2) {
        if (strcmp(words[at], "--library") == 0) {
            path = words[at + 1];
        } else if (strcmp(words[at], "--runs") == 0 && atoi(words[at + 1]) > 0) {
            runs = atoi(words[at + 1]);
        } else {
            usage();
        }
    }
    if (count - at < 3) usage();
    const int trans = strcmp(words[at], "T") == 0 ? TRANS : NO_TRANS;
    const int f64 = strcmp(words[at + 1], "f64") == 0;
    if ((trans == NO_TRANS && strcmp(words[at], "N") != 0) || (!f64 && strcmp(words[at + 1], "f32") != 0)) usage();
    const size_t bytes = f64 ? 8 : 4;
    const Trsv trsv = path ? library_trsv(path, f64) : NULL;
    char name[256];
    processor(name, sizeof name);
    const double copy = copy_bandwidth();
    const char* file = path ? (strrchr(path, '/') ? strrchr(path, '/') + 1 : path) : "one core";
    double* seconds = malloc(runs * sizeof(double));
    puts("family,algorithm,precision,layout,rows,batch,median_us,min_us,rows_per_s,bytes_per_row,gb_per_s,"
         "copy_gb_per_s,share_of_copy,relative_residual,adapter");
    int is_right = 1;
    for (at += 2; at < count; ++at) {
        const int64_t n = atoll(words[at]);
        if (n < 1 || n > 100000) usage();
        char* a = malloc(n * n * bytes);
        char *b = malloc(n * bytes), *x = malloc(n * bytes);
        if (!a || !b || !x) {
            fprintf(stderr, "host_trsv: no memory for %lld rows\n", (long long)n);
            free(a), free(b), free(x);
            continue;
        }
        if (f64) {
            wide_fill(n, (double*)a);
            for (int64_t i = 0; i < n; ++i) ((double*)b)[i] = sin(i + 1.0);
        } else {
            single_fill(n, (float*)a);
            for (int64_t i = 0; i < n; ++i) ((float*)b)[i] = (float)sin(i + 1.0);
        }
        // One sample takes 50 us at least.
        int64_t repeats = 1;
        for (int run = -2; run < runs; ++run) {
            const double start = now();
            for (int64_t repeat = 0; repeat < repeats; ++repeat) {
                memcpy(x, b, n * bytes);
                if (trsv) {
                    trsv(COLUMN_MAJOR, LOWER, trans, UNIT, n, a, n, x, 1);
                } else if (f64) {
                    wide_own(trans, n, (double*)a, (double*)x);
                } else {
                    single_own(trans, n, (float*)a, (float*)x);
                }
            }
            const double own = (now() - start) / repeats;
            if (run < 0) {
                repeats = own < 5e-5 ? (int64_t)(5e-5 / own) + 1 : 1;
            } else {
                seconds[run] = own;
            }
        }
        qsort(seconds, runs, sizeof *seconds, by_size);
        const double error = f64 ? wide_error(trans, n, (double*)a, (double*)b, (double*)x)
                                 : single_error(trans, n, (float*)a, (float*)b, (float*)x);
        const double median = seconds[runs / 2];
        const double per_row = ((n + 1) / 2.0 + 2.0) * bytes;
        const double rate = n / median;
        printf("triangular lower %c,%s,%s,contiguous,%lld,1,%.6g,%.6g,%.8g,%g,%.6g,%.6g,%.6g,%.4g,\"%s, %s, %ld processors\"\n",
               trans == TRANS ? 'T' : 'N', trsv ? "host BLAS trsv" : "host substitution", f64 ? "f64" : "f32",
               (long long)n, median * 1e6, seconds[0] * 1e6, rate, per_row, rate * per_row / 1e9, copy / 1e9,
               rate * per_row / copy, error, name, file, sysconf(_SC_NPROCESSORS_ONLN));
        fflush(stdout);
        if (!(error <= (n + 4) * (f64 ? 1.2e-16 : 6e-8))) {
            fprintf(stderr, "host_trsv: %lld rows: wrong, backward error %g\n", (long long)n, error);
            is_right = 0;
        }
        free(a), free(b), free(x);
    }
    return is_right ? 0 : 1;
}
