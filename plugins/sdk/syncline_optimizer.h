/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between Syncline and an optimizer, built-in or plugin. C99 and C++20; a plugin needs this file and nothing else of ours.
 *
 * A plugin is a shared object that exports one function, syncline_optimizer_v1, which returns a constant table. Everything else goes
 * through the table. Versions: a major version never changes the meaning or place of a field; a minor version appends fields to the
 * structs that begin with their size, and whoever reads such a struct reads only as far as the size says, or as far as it knows.
 * syncline_option, syncline_value and syncline_slice are elements of arrays and frozen for the life of the major version; their
 * `reserved` fields are zero.
 *
 * Rules. Nothing but the types below crosses the boundary: no C++ object, no exception, no memory freed on the other side. A function
 * that can fail returns 0 or an error code of its own and writes one sentence into `error` (zero-terminated, at most error_size bytes).
 * `step` is never called twice at a time for one `self`. A plugin starts no threads, calls no MPI and no CUDA; parallel_for is there
 * instead. It leaves locale, signals and the floating-point environment as they are. The file stays loaded until the process ends. */
#ifndef SYNCLINE_OPTIMIZER_H
#define SYNCLINE_OPTIMIZER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SYNCLINE_ABI_MAJOR 1
#define SYNCLINE_ABI_MINOR 0
#define SYNCLINE_ABI_VERSION ((uint32_t)((SYNCLINE_ABI_MAJOR << 16) | SYNCLINE_ABI_MINOR)) /* for abi_version */
#define SYNCLINE_OPTIMIZER_SYMBOL "syncline_optimizer_v1"

#if defined(_WIN32)
#define SYNCLINE_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define SYNCLINE_EXPORT __attribute__((visibility("default")))
#else
#define SYNCLINE_EXPORT
#endif

/* ---- Options: what a person can set in the experiment file. Forms, validation and help come from this table. ---- */

enum {                        /* values of syncline_option.kind and, where they fit, syncline_option.initial_kind */
       SYNCLINE_NONE = -1,    /* initial_kind only: no default, the option is required unless `optional` */
       SYNCLINE_INTEGER = 0,  /* value in .integer */
       SYNCLINE_REAL = 1,     /* value in .real */
       SYNCLINE_FLAG = 2,     /* value in .integer, 0 or 1 */
       SYNCLINE_CHOICE = 3,   /* value in .text, one of `choices` */
       SYNCLINE_TEXT = 4,     /* value in .text, UTF-8 */
       SYNCLINE_PATH = 5,     /* value in .text */
       SYNCLINE_LIST = 6,     /* numbers, value in .list and .count; the default is a text as in TOML, "[]" or "[30, 60]" */
       SYNCLINE_DURATION = 7, /* value in .real, seconds; the default is a number, or a text with a unit ("100 us") */
       SYNCLINE_SIZE = 8,     /* value in .real, bytes; likewise */
       SYNCLINE_RATE = 9      /* value in .real, bytes per second; likewise */
};

typedef struct syncline_option { /* texts may be null where "may be empty" is said */
  const char* key;               /* as in the experiment file: lower case letters, digits, underscores */
  const char* symbol;            /* as in the paper, may be empty */
  const char* help;              /* one sentence */
  const char* section;           /* section of the paper, may be empty */
  const char* unit;              /* of the number as stored: "s", "bytes", may be empty */
  const char* only_if;           /* "momentum > 0": shown and allowed only then, may be empty */
  const char* const* choices;    /* of a choice, else null */
  int32_t choice_count;
  int32_t kind;
  int32_t initial_kind; /* SYNCLINE_NONE, _INTEGER, _REAL, _FLAG or _TEXT: which of the next three holds the default */
  int32_t optional;     /* 1: may be absent and then has no value */
  int64_t initial_integer;
  double initial_real;
  const char* initial_text;
  double least, most; /* inclusive; NaN (SYNCLINE_OPEN): no limit. Of a list: for each element */
  int32_t advanced;   /* 1: behind "More options" */
  int32_t reserved;
} syncline_option;

#define SYNCLINE_OPEN NAN

typedef struct syncline_value {
  const char* text;
  const double* list;
  int64_t count; /* elements of list */
  int64_t integer;
  double real;
  int32_t present; /* 0: an optional option that was not given */
  int32_t reserved;
} syncline_value;

/* ---- The model, as far as an update rule sees it ---- */

enum { SYNCLINE_DECAY = 1 }; /* syncline_slice.flags: weight decay applies to this layer (it does not for normalisation layers) */

typedef struct syncline_slice { /* the parameters of one layer, weights before biases: adjacent in every vector */
  const char* name;             /* stable across runs */
  int64_t offset;               /* of the first element in param, grad and state of the call it comes with */
  int64_t count;
  int64_t rows, cols; /* of a fully connected layer: the first rows * cols elements are its matrix, row by row; else 0 */
  int32_t index;      /* of the layer in the model; 0 is the one whose gradient completes first */
  int32_t flags;
  int64_t reserved;
} syncline_slice;

/* ---- What the host offers. Valid from create to destroy. ---- */

enum { SYNCLINE_LOG_INFO = 0, SYNCLINE_LOG_WARNING = 1 };

typedef struct syncline_host {
  uint32_t struct_size, abi_version;
  void* context; /* first argument of every function below */
  void (*log)(void* context, int32_t level, const char* text);
  /* Calls body(data, k * grain, min((k + 1) * grain, count)) once for every k, on several threads, and returns when all are done.
   * The pieces do not depend on the number of threads: a sum per piece, added in order, is the same for every machine. */
  void (*parallel_for)(void* context, int64_t count, int64_t grain, void (*body)(void* data, int64_t begin, int64_t end), void* data);
  /* 128 random bits, a pure function of the run's seed, stream and counter: key them by element, layer and step, and the result does
   * not depend on threads or on the order in which layers are updated. */
  void (*random)(void* context, uint64_t stream, uint64_t counter, uint32_t bits[4]);
  void* (*allocate)(void* context, size_t bytes); /* 64-byte aligned, zero; null when there is no memory. Free only with `release` */
  void (*release)(void* context, void* memory);   /* null is allowed */
} syncline_host;

typedef struct syncline_config {
  uint32_t struct_size;
  int32_t value_count;          /* = option_count, in the order of the options */
  const syncline_value* values; /* valid during create only, the texts and lists too */
  int64_t count;                /* elements of the whole model */
  const syncline_slice* slices; /* all layers; valid until destroy */
  int32_t slice_count;
  int32_t reserved;
} syncline_config;

/* ---- One update of a contiguous range of whole layers ----
 *
 * A step may come as one call over the whole model or as one call for each layer or group of layers, in any order, each layer once: the
 * result must be bitwise the same. All calls of a step carry the same `step` and `lr`. A slice is never cut. param, grad and the state
 * arrays do not overlap; the whole vectors are 64-byte aligned, a range in them is aligned to its elements only. */
typedef struct syncline_step_args {
  uint32_t struct_size;
  int32_t slice_count;
  int64_t step;        /* 1 in the first update */
  float lr;            /* the schedule's rate for this step */
  float grad_scale;    /* the gradient is grad_scale * grad[i] */
  float* param;        /* read and written */
  const float* grad;   /* read only */
  float* const* state; /* state_arrays pointers, each parallel to param; zero before the first step. The host keeps and saves them */
  int64_t count;       /* elements in the range */
  int64_t offset;      /* of the range in the whole model */
  const syncline_slice* slices; /* the layers of the range, offsets counted from param[0] */
} syncline_step_args;

typedef struct syncline_optimizer_table {
  uint32_t abi_version;                  /* SYNCLINE_ABI_VERSION */
  uint32_t struct_size;                  /* sizeof(syncline_optimizer_table) */
  const char* name;                      /* lower case letters, digits, "-" and "_" */
  const char *title, *summary;           /* a short name and one sentence for people, may be empty */
  const char *version, *license, *paper; /* may be empty */
  const syncline_option* options;        /* an option "lr" sets default and range of the learning rate; without it the host's apply */
  int32_t option_count;
  int32_t state_arrays; /* vectors of the model's size that the host keeps for this optimizer, 0 to 8 */
  int32_t (*create)(const syncline_config*, const syncline_host*, void** self, char* error, size_t error_size);
  int32_t (*step)(void* self, const syncline_step_args*, char* error, size_t error_size);
  /* What the optimizer keeps outside the state arrays, for checkpoints. save is called with bytes == null to ask for the size, then with
   * room for *size bytes, and sets *size to what it wrote. Both may be null: then there is no such state. */
  int32_t (*save)(void* self, void* bytes, size_t* size);
  int32_t (*load)(void* self, const void* bytes, size_t size);
  void (*destroy)(void* self);
  /* Optional, may be null: the same update on a GPU, in the order of `stream` (a cudaStream_t); pointers are device memory. */
  int32_t (*step_device)(void* self, const syncline_step_args*, void* stream, char* error, size_t error_size);
  /* Optional, may be null: how many of the state arrays these options use; the host then keeps only so many. */
  int32_t (*state_needed)(const syncline_config*);
} syncline_optimizer_table;

/* The one exported symbol. */
SYNCLINE_EXPORT const syncline_optimizer_table* syncline_optimizer_v1(void);

#ifdef __cplusplus
}
#endif

#endif
