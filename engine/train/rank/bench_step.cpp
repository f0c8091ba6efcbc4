// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/bench_step.h"

#include <map>

#include "engine/base/random.h"
#include "engine/metrics/clock.h"
#include "engine/metrics/statistics.h"
#include "engine/model/graph.h"
#include "engine/optim/optimizer.h"
#include "engine/train/rank/bench_ops.h"

namespace syncline {
namespace {

constexpr int warm_up = 2;

using Times = std::vector<std::vector<double>>;  // of each layer

class LayerTimer final : public Hooks {
 public:
  explicit LayerTimer(std::size_t layers) : forward(layers), backward(layers), update(layers) {}
  void begin(bool counted) {
    counted_ = counted;
    last_s_ = monotonic_s();
  }
  void lap(Times& times, int layer) {
    const double now_s = monotonic_s();
    if (counted_) times[static_cast<std::size_t>(layer)].push_back(now_s - last_s_);
    last_s_ = now_s;
  }
  void forward_done(int layer) override { lap(forward, layer); }
  void backward_done(int layer) override { lap(backward, layer); }
  Times forward, backward, update;

 private:
  double last_s_ = 0;
  bool counted_ = false;
};

// The state of a rank without data, communication or records.
class OneRank {
 public:
  OneRank(const StepBench& bench, const std::vector<LayerSpec>& layers)
      : rows_(bench.experiment.batch_of(0)),
        classes_(bench.classes),
        backend_(make_cpu_backend(bench.threads)),
        graph_(layers, bench.input, bench.classes, *backend_, rows_),
        params_(backend_->allocate(graph_.parameter_count())),
        grads_(backend_->allocate(graph_.parameter_count())),
        statistics_(backend_->allocate(graph_.statistic_count())),
        data_{.view = backend_->allocate(rows_ * bench.input.elements()), .shape = bench.input},
        labels_(backend_->allocate(rows_)),
        schedule_(make_schedule({}, learning_rate(bench.experiment.train.optimizer), 1, 1)) {
    graph_.initialise(params_, statistics_, bench.experiment.seed);
    optimizer_ = make_optimizer(bench.experiment.train.optimizer,
                                {.slices = graph_.slices(),
                                 .make_vector = [this](std::string_view) { return Vector(backend_->allocate(graph_.parameter_count())); },
                                 .schedule = schedule_.get(),
                                 .threads = bench.threads});
    RandomStream random(bench.experiment.seed, "bench");
    std::vector<float> pixels(static_cast<std::size_t>(data_.view.count()));
    for (float& pixel : pixels) pixel = static_cast<float>(2 * random.uniform() - 1);
    std::vector<std::int32_t> labels(static_cast<std::size_t>(rows_));
    for (std::int32_t& label : labels) label = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(classes_)));
    backend_->copy_in(data_.view, pixels);
    backend_->copy_in_ints(labels_, labels);
  }

  void step(std::int64_t step, LayerTimer& timer) {
    graph_.train({params_, grads_, statistics_}, {.data = data_, .labels = labels_, .rows = rows_},
                 {.scale = 1.0 / static_cast<double>(rows_), .step = step}, timer);
    Optimizer::Update update = optimizer_->begin();
    for (const LayerSlice& slice : graph_.slices()) {
      update.apply(params_.part(slice.offset, slice.count), grads_.part(slice.offset, slice.count));
      timer.lap(timer.update, slice.layer);
    }
  }
  const Graph& graph() const { return graph_; }

 private:
  std::int64_t rows_, classes_;
  std::unique_ptr<Backend> backend_;
  Graph graph_;
  View params_, grads_, statistics_;
  Tensor data_;
  View labels_;
  std::unique_ptr<Schedule> schedule_;
  std::unique_ptr<Optimizer> optimizer_;
};

}  // namespace

StepTimes bench_step(const StepBench& bench) {
  const std::vector<LayerSpec> layers = expand_model(bench.experiment.model, bench.input, bench.classes);
  std::map<std::string, double> bounds;
  if (bench.bounds) {
    for (const OperationTime& each :
         bench_operations({.layers = layers, .input = bench.input, .classes = bench.classes, .rows = bench.experiment.batch_of(0)}))
      for (const std::string& layer : each.layers) bounds[layer] += each.bound_s;
  }
  OneRank rank(bench, layers);
  const std::vector<std::string> names = rank.graph().layer_names();
  LayerTimer timer(names.size());
  std::vector<double> whole;
  for (int step = 0; step < warm_up + bench.steps; ++step) {
    timer.begin(step >= warm_up);
    const double start_s = monotonic_s();
    rank.step(step, timer);
    if (step >= warm_up) whole.push_back(monotonic_s() - start_s);
  }
  StepTimes result{.layers = {}, .step_s = median(whole)};
  // A layer with two slices has two updates a step.
  const auto of_step = [&](const std::vector<double>& times) {
    return times.empty() ? 0 : median(times) * static_cast<double>(times.size()) / bench.steps;
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto bound = bounds.find(names[i]);
    result.layers.push_back({.layer = names[i],
                             .forward_s = of_step(timer.forward[i]),
                             .backward_s = of_step(timer.backward[i]),
                             .update_s = of_step(timer.update[i]),
                             .bound_s = bound == bounds.end() ? std::optional<double>() : bound->second});
  }
  return result;
}

}  // namespace syncline
