// SPDX-License-Identifier: Apache-2.0
// A small catalogue with something of every kind, for tests that need no engine.
#pragma once

#include "engine/experiment/parameter.h"

namespace syncline::test {

inline constexpr std::string_view kMarks[] = {"pre_update", "post_update"};
inline constexpr Parameter kLocalSgd[] = {
    {.key = "sync_period", .symbol = "H", .help = "Steps between two exchanges.", .kind = Parameter::integer, .least = 1, .most = 100000},
    {.key = "sync_point",
     .help = "Where in the step workers meet.",
     .kind = Parameter::choice,
     .initial = "post_update",
     .choices = kMarks},
    {.key = "mixing",
     .symbol = "β",
     .help = "Weight of the old value.",
     .kind = Parameter::real,
     .initial = 0.5,
     .least = 0,
     .most = 1,
     .only_if = "sync_point = pre_update"},
};
inline constexpr Parameter kThreshold[] = {
    {.key = "bytes",
     .help = "A message is sent once it has this size.",
     .kind = Parameter::size,
     .initial = "4 MiB",
     .least = 1,
     .most = 1e12,
     .unit = "bytes"},
};
inline constexpr Parameter kTopK[] = {
    {.key = "fraction", .help = "Part of the gradient that is sent.", .kind = Parameter::real, .least = 1e-6, .most = 1}};
inline constexpr Parameter kSgd[] = {
    {.key = "lr", .symbol = "η", .help = "Learning rate.", .kind = Parameter::real, .initial = 0.01, .least = 0},
    {.key = "momentum", .symbol = "μ", .help = "Momentum.", .kind = Parameter::real, .initial = 0.9, .least = 0, .most = 1},
    {.key = "nesterov", .help = "Look ahead.", .kind = Parameter::flag, .initial = false, .only_if = "momentum > 0"},
    {.key = "weight_decay", .help = "Weight decay.", .kind = Parameter::real, .initial = 0.0, .least = 0},
};
inline constexpr Parameter kAdam[] = {
    {.key = "beta1", .help = "Decay of the first moment.", .kind = Parameter::real, .initial = 0.9, .least = 0, .most = 1}};
inline constexpr Parameter kSchedule[] = {
    {.key = "warmup_steps", .help = "Steps of linear warm-up.", .kind = Parameter::integer, .initial = std::int64_t{0}, .least = 0},
    {.key = "scale_lr_with_workers", .help = "Multiply the rate by the number of workers.", .kind = Parameter::flag, .initial = false},
};
inline constexpr Parameter kConv[] = {
    {.key = "channels", .help = "Output channels.", .kind = Parameter::integer, .least = 1, .most = 65536},
    {.key = "kernel", .help = "Size of the window.", .kind = Parameter::integer, .least = 1, .most = 64},
    {.key = "stride", .help = "Step of the window.", .kind = Parameter::integer, .initial = std::int64_t{1}, .least = 1, .most = 64},
    {.key = "padding", .help = "Zeros around the input.", .kind = Parameter::integer, .initial = std::int64_t{0}, .least = 0, .most = 64},
    {.key = "bias", .help = "Adds a bias.", .kind = Parameter::flag, .initial = true},
};
inline constexpr Parameter kLinear[] = {{.key = "features", .help = "Outputs.", .kind = Parameter::integer, .least = 1, .most = 1e6}};
inline constexpr Parameter kMlp[] = {{.key = "hidden",
                                      .help = "Widths of the hidden layers.",
                                      .kind = Parameter::list,
                                      .initial = "[1024, 1024]",
                                      .least = 1,
                                      .most = 65536}};
inline constexpr Parameter kFashion[] = {{.key = "path", .help = "Folder of the files.", .kind = Parameter::path, .optional = true}};
inline constexpr Parameter kSynthetic[] = {
    {.key = "size", .help = "Samples.", .kind = Parameter::integer, .initial = std::int64_t{10000}, .least = 1},
    {.key = "noise", .help = "Standard deviation of the noise.", .kind = Parameter::real, .initial = 0.25, .least = 0},
};

inline constexpr Parameter kBits[] = {
    {.key = "cycle_time", .help = "Between two looks.", .kind = Parameter::duration, .initial = 1e-3, .least = 0, .unit = "s"},
    {.key = "control_message_cost", .help = "Of a message.", .kind = Parameter::duration, .initial = 0.0, .least = 0, .unit = "s"},
};

inline Catalogue small_catalogue() {
  Catalogue c;
  c.strategies = {{{"none", "Alone", "", "Each worker trains alone.", {}}, false, false},
                  {{"sync", "Synchronous SGD", "", "Gradients are summed in every step.", {}}, true, false},
                  {{"local-sgd", "Local SGD", "local-sgd", "Parameters are averaged now and then.", kLocalSgd}, false, false}};
  c.plans = {{"single", "Single", "", "One message.", {}},
             {"wfbp", "WFBP", "wfbp", "One message a layer.", {}},
             {"threshold", "Threshold", "", "By size.", kThreshold}};
  c.allreduces = {{"direct", "Direct", "", "Our own.", {}},
                  {"hierarchical", "Hierarchical", "", "Two levels.", {}},
                  {"library", "Library", "", "MPI's.", {}}};
  c.codecs = {{"none", "None", "", "As they are.", {}}, {"topk", "Top-k", "", "The largest.", kTopK}};
  c.optimizers = {{"sgd", "SGD", "", "Gradient descent.", kSgd}, {"adam", "Adam", "adam", "Adam.", kAdam}};
  c.schedules = {{"constant", "Constant", "", "Flat.", kSchedule}, {"cosine", "Cosine", "", "Half a cosine.", kSchedule}};
  c.layers = {{"conv", "Convolution", "", "Convolution.", kConv},
              {"linear", "Linear", "", "Fully connected.", kLinear},
              {"relu", "ReLU", "", "ReLU.", {}},
              {"add", "Add", "", "Sum of its inputs.", {}},
              {"batch_norm", "Batch norm", "", "Batch norm.", {}},
              {"flatten", "Flatten", "", "Flatten.", {}},
              {"global_pool", "Global pool", "", "Mean.", {}}};
  c.zoo = {{"mlp", "MLP", "", "Perceptron.", kMlp}, {"lenet", "LeNet", "", "LeNet.", {}}, {"resnet20", "ResNet-20", "", "ResNet.", {}}};
  c.sources = {{"fashion-mnist", "Fashion-MNIST", "", "Clothes.", kFashion},
               {"cifar10", "CIFAR-10", "", "Pictures.", kFashion},
               {"synthetic", "Synthetic", "", "Made up.", kSynthetic}};
  c.augmentations = {{"crop", "Crop", "", "Shifts.", {}}, {"flip", "Flip", "", "Mirrors.", {}}};
  c.orchestrations = {{"static", "Static", "", "Fixed order.", {}}, {"bitvector", "Bits", "bitvector-allreduce", "Agreed on.", kBits}};
  return c;
}

}  // namespace syncline::test
