/* SPDX-License-Identifier: Apache-2.0 */
/* Lion, Chen et al. 2023, algorithm 2: c = beta1 m + (1 - beta1) g; w -= lr (sign(c) + weight_decay w); m = beta2 m + (1 - beta2) g.
 * Every element is treated by itself, so the pieces of parallel_for may be cut anywhere. */
#include <stdio.h>

#include "syncline_optimizer.h"

enum { LR, BETA1, BETA2, WEIGHT_DECAY, OPTIONS };

static const syncline_option options[OPTIONS] = {
    {.key = "lr",
     .symbol = "η",
     .help = "How far every parameter moves in a step.",
     .kind = SYNCLINE_REAL,
     .initial_kind = SYNCLINE_REAL,
     .initial_real = 1e-4,
     .least = 0,
     .most = SYNCLINE_OPEN},
    {.key = "beta1",
     .symbol = "β₁",
     .help = "Share of the momentum in the direction of a step.",
     .kind = SYNCLINE_REAL,
     .initial_kind = SYNCLINE_REAL,
     .initial_real = 0.9,
     .least = 0,
     .most = 1},
    {.key = "beta2",
     .symbol = "β₂",
     .help = "Share of the momentum that is kept.",
     .kind = SYNCLINE_REAL,
     .initial_kind = SYNCLINE_REAL,
     .initial_real = 0.99,
     .least = 0,
     .most = 1},
    {.key = "weight_decay",
     .symbol = "λ",
     .help = "Each step shrinks a parameter by lr times weight_decay.",
     .kind = SYNCLINE_REAL,
     .initial_kind = SYNCLINE_REAL,
     .initial_real = 0,
     .least = 0,
     .most = SYNCLINE_OPEN},
};

typedef struct {
  const syncline_host* host;
  float beta1, beta2, weight_decay;
} lion;

typedef struct {
  const lion* self;
  const syncline_step_args* args;
} call;

static float sign(float x) { return (float)(x > 0) - (float)(x < 0); }

static void update(const lion* self, const syncline_step_args* a, float decay, int64_t begin, int64_t end) {
  const float b1 = self->beta1, b2 = self->beta2, rest1 = 1 - b1, rest2 = 1 - b2, lr = a->lr, scale = a->grad_scale;
  float* restrict w = a->param, * restrict m = a->state[0];
  const float* restrict grad = a->grad;
  for (int64_t i = begin; i < end; ++i) {
    const float g = scale * grad[i];
    w[i] -= lr * (sign(b1 * m[i] + rest1 * g) + decay * w[i]);
    m[i] = b2 * m[i] + rest2 * g;
  }
}

static void piece(void* data, int64_t begin, int64_t end) {
  const call* c = data;
  for (int32_t s = 0; s < c->args->slice_count; ++s) {
    const syncline_slice* slice = &c->args->slices[s];
    const int64_t first = slice->offset > begin ? slice->offset : begin;
    const int64_t stop = slice->offset + slice->count < end ? slice->offset + slice->count : end;
    if (first < stop) update(c->self, c->args, slice->flags & SYNCLINE_DECAY ? c->self->weight_decay : 0, first, stop);
  }
}

static int32_t create(const syncline_config* config, const syncline_host* host, void** self, char* error, size_t error_size) {
  lion* l = host->allocate(host->context, sizeof *l);
  if (l == NULL) {
    snprintf(error, error_size, "there is no memory left");
    return 1;
  }
  l->host = host;
  l->beta1 = (float)config->values[BETA1].real;
  l->beta2 = (float)config->values[BETA2].real;
  l->weight_decay = (float)config->values[WEIGHT_DECAY].real;
  *self = l;
  return 0;
}

static int32_t step(void* self, const syncline_step_args* args, char* error, size_t error_size) {
  const lion* l = self;
  call c = {l, args};
  (void)error, (void)error_size;
  l->host->parallel_for(l->host->context, args->count, 16384, piece, &c);
  return 0;
}

static void destroy(void* self) {
  lion* l = self;
  l->host->release(l->host->context, l);
}

const syncline_optimizer_table* syncline_optimizer_v1(void) {
  static const syncline_optimizer_table table = {
      .abi_version = SYNCLINE_ABI_VERSION,
      .struct_size = sizeof(syncline_optimizer_table),
      .name = "lion",
      .title = "Lion",
      .summary = "The sign of a momentum: every parameter moves by the learning rate.",
      .version = "1.0",
      .license = "Apache-2.0",
      .paper = "Chen et al., Symbolic discovery of optimization algorithms, 2023",
      .options = options,
      .option_count = OPTIONS,
      .state_arrays = 1,
      .create = create,
      .step = step,
      .destroy = destroy,
  };
  return &table;
}
