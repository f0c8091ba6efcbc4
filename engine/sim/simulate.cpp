// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/simulate.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/metrics/statistics.h"
#include "engine/optim/optimizer.h"
#include "engine/sim/profiles.h"
#include "engine/sim/sim_backend.h"
#include "engine/train/trainer.h"

namespace syncline {
namespace {

constexpr int most_traced = 32;
constexpr double most_real_bytes = 4.0 * 1024 * 1024 * 1024;  // of the vectors of all ranks together
constexpr double vectors_of_a_rank = 6;                       // parameters, gradients, what a strategy and an optimizer keep

// Of this rank and step, small: nothing that is learned from them means anything.
void random_gradient(std::uint64_t seed, int rank, const Task::Bound& bound, std::int64_t step) {
  RandomStream stream(seed, "simulated gradient", static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(step));
  for (float& value : bound.grads.floats()) value = static_cast<float>(1e-3 * (2 * stream.uniform() - 1));
}

// Spans and exchanges of a rank; kept whole, so only of few ranks.
class StepRecorder final : public Recorder {
 public:
  void span(const Span& span) override { spans.push_back(span); }
  void exchange(const Exchange& exchange) override { exchanges.push_back(ExchangeRecord::of(exchange)); }
  void scalar(std::string_view, std::int64_t, double) override {}
  void event(std::string_view, std::string) override {}
  StepTrace trace(int rank, std::int64_t step, double start_s, double end_s) const {
    StepTrace trace{.rank = rank, .step = step, .start_s = start_s, .end_s = end_s, .spans = {}, .exchanges = {}};
    for (const Span& span : spans)
      if (span.start_s < end_s && span.end_s > start_s) trace.spans.push_back(span);
    for (const ExchangeRecord& exchange : exchanges)
      if (exchange.queued_s < end_s && exchange.done_s > start_s) trace.exchanges.push_back(exchange);
    return trace;
  }
  std::vector<Span> spans;
  std::vector<ExchangeRecord> exchanges;
};

struct StepTimes {
  std::vector<double> start_s, end_s;
};

class StepObserver final : public TrainObserver {
 public:
  StepObserver(SimCommunicator& data, StepTimes& times) : data_(data), times_(times) {}
  void started(std::span<const LayerSlice>, const Plan&, std::int64_t, const Axes&) override {}
  void step_begins(std::int64_t step) override { data_.set_step(step); }
  void step_done(const StepDone& done) override {
    times_.start_s.push_back(done.start_s);
    times_.end_s.push_back(done.end_s);
  }
  void meeting(const ControlWord&, double, const Axes&) override {}
  void evaluated(const Evaluation&, const Axes&) override {}
  void checkpointed(std::int64_t, bool, const std::string&, double, const Axes&) override {}
  void event(std::string_view, const std::string&) override {}

 private:
  SimCommunicator& data_;
  StepTimes& times_;
};

class NothingWanted final : public ControlInput {
 public:
  std::uint32_t wanted() override { return 0; }
};

class Job {
 public:
  explicit Job(SimulationRequest request)
      : request_(std::move(request)),
        experiment_(request_.experiment),
        traits_(request_.strategy->traits(experiment_.strategy.options)),
        workers_(static_cast<int>(experiment_.cluster.workers)),
        times_(static_cast<std::size_t>(workers_)),
        recorders_(static_cast<std::size_t>(workers_)) {
    ClusterSpec& cluster = experiment_.cluster;
    if (cluster.slowdown.size() > 1) cluster.slowdown.resize(static_cast<std::size_t>(workers_), 1);  // more workers: undisturbed ones
    std::vector<std::int64_t>& batches = experiment_.train.batch_per_worker;
    if (batches.size() > 1) batches.resize(static_cast<std::size_t>(workers_), batches.back());
    for (int worker = 0; worker < workers_; ++worker) batches_.push_back(experiment_.batch_of(worker));
    experiment_.complete.clear();  // nobody could differ
    if (traits_.value_dependent && !request_.gradient) compute_with_values();
    // Nothing is computed, and a plugin's code has no place here; the update's time is the profile's.
    if (!request_.gradient) experiment_.train.optimizer = {.name = "sgd", .options = defaults_of(sgd().parameters)};
    const int period = std::max(1, traits_.meeting_every);
    warm_up_ = (std::max(2, period) + period - 1) / period * period;
    const std::int64_t wanted = request_.steps > 0 ? request_.steps : cluster.jitter_std > 0 ? 40 : 4;
    measured_ = (wanted + period - 1) / period * period;
    machines_ = std::make_shared<const Topology>(cluster);
    if (machines_->ranks() != workers_) {
      throw ConfigError(
          fmt::format("the machines of [[cluster.nodes]] have room for {} of {} workers; fewer workers, or machines with more "
                      "cores or a larger count would be right",
                      machines_->ranks(), workers_),
          {.file = {}, .key = "cluster.nodes"});
    }
    speeds_ = worker_speeds(*machines_);
    reported_ = slowest();
  }

  SimulationResult run() {
    VirtualWorld world(
        {.kind = request_.contexts, .keep_list = request_.keep_events, .name = fmt::format("strategy '{}'", request_.strategy->name)});
    SimNetworkWorld network(world, workers_, network_options());
    if (request_.gradient) result_.params.resize(static_cast<std::size_t>(workers_));
    for (int rank = 0; rank < workers_; ++rank) {
      const bool recorded = rank == reported_ || (request_.keep_traces && rank < most_traced);
      if (recorded) recorders_[static_cast<std::size_t>(rank)] = std::make_unique<StepRecorder>();
      world.add(rank, [this, &network](RankContext& context) { run_rank(network, context); });
    }
    world.run();
    if (const Contention* contention = network.contention(); contention != nullptr && contention->ranks > 0)
      result_.contention = *contention;
    result_.happened = world.events().happened();
    result_.events = world.events().list();
    summarise();
    return std::move(result_);
  }

 private:
  static const Entry& sgd() {
    const auto entries = optimizer_entries();
    return *std::find_if(entries.begin(), entries.end(), [](const Entry& entry) { return entry.name == "sgd"; });
  }

  void compute_with_values() {
    const double bytes = 4.0 * vectors_of_a_rank * static_cast<double>(request_.step->parameters()) * workers_;
    if (bytes > most_real_bytes) {
      throw ConfigError(
          fmt::format("strategy '{}' decides by values, so its vectors have to be there: {} workers of {} parameters would take "
                      "about {:.0f} GiB; fewer workers or a smaller model would be right",
                      request_.strategy->name, workers_, request_.step->parameters(), bytes / (1024.0 * 1024 * 1024)),
          {.file = {}, .key = "strategy.name"});
    }
    request_.gradient = [seed = experiment_.seed](int rank, const Task::Bound& bound, std::int64_t step) {
      random_gradient(seed, rank, bound, step);
    };
  }

  SimCommOptions network_options() const {
    const ClusterSpec& cluster = experiment_.cluster;
    SimCommOptions options{.allreduce = experiment_.strategy.allreduce, .allreduce_options = experiment_.strategy.allreduce_options};
    options.most_by_messages = request_.most_by_messages;
    if (request_.wire) {
      options.wire = *request_.wire;
      return options;
    }
    options.topology = machines_;
    options.time_scale = cluster.time_scale;
    const auto said = [](const LinkSpec& link) { return link.bandwidth_bytes_per_s > 0 || link.latency_s > 0; };
    if (workers_ > 1 && std::none_of(cluster.links.begin(), cluster.links.end(), said)) {
      throw ConfigError(
          "a simulation of several workers needs to know the link between them: cluster.link.bandwidth and latency would be "
          "right, with emulate = false where real runs are not to be slowed to it",
          {.file = {}, .key = "cluster.link.bandwidth"});
    }
    return options;
  }

  // The first of those that compute longest.
  int slowest() const {
    int slowest = 0;
    for (int rank = 1; rank < workers_; ++rank)
      if (undisturbed(rank) > undisturbed(slowest)) slowest = rank;
    return slowest;
  }
  double undisturbed(int rank) const { return experiment_.cluster.slowdown_of(rank) / speeds_[static_cast<std::size_t>(rank)]; }
  double factor(std::size_t rank, std::int64_t step) const {
    return pace_factor(experiment_.cluster, static_cast<std::int64_t>(rank), step) / speeds_[rank];
  }

  void run_rank(SimNetworkWorld& network, RankContext& context) {
    const auto rank = static_cast<std::size_t>(context.rank());
    const auto data = network.connect(context);
    const auto control = data->duplicate("control");
    NullRecorder nothing;
    Recorder& recorder = recorders_[rank] ? static_cast<Recorder&>(*recorders_[rank]) : nothing;
    if (recorders_[rank]) data->trace(&recorder);
    const ModelledStep& step = *request_.step;
    ModelledTaskOptions options{.micro_batches = experiment_.train.micro_batches};
    options.factor = [this, rank](std::int64_t at) { return factor(rank, at); };
    if (request_.gradient)
      options.gradient = [this, rank](const Task::Bound& bound, std::int64_t at) { request_.gradient(static_cast<int>(rank), bound, at); };
    ModelledTask task(step, std::move(options), context);
    SimBackend backend(context, !request_.gradient);
    VirtualClock clock(context);
    TrainingClockOf<VirtualClock> training_clock(clock);
    const std::int64_t all = std::accumulate(batches_.begin(), batches_.end(), std::int64_t{0});
    FullBatches batches(batches_[rank], all, warm_up_ + measured_);
    StepObserver observer(*data, times_[rank]);
    NothingWanted input;
    Activity activity;
    FaultPoints faults;
    ComputeGate gate;
    context.where = [&activity] {
      const Activity::Now now = activity.now();
      return fmt::format("step {}, {}", now.step, train_phase_name(now.phase));
    };
    Trainer trainer({.experiment = experiment_,
                     .strategy = *request_.strategy,
                     .task = task,
                     .backend = backend,
                     .data = *data,
                     .control = *control,
                     .train = batches,
                     .test = nullptr,
                     .batch_per_rank = batches_,
                     .clock = clock,
                     .training_clock = training_clock,
                     .recorder = recorder,
                     .observer = observer,
                     .input = input,
                     .activity = activity,
                     .faults = faults,
                     .gate = gate,
                     .charge_update = [&task](const View& range) { task.charge_update(range); }},
                    {.only_steps = warm_up_ + measured_, .threads = 1, .hash_every = 0, .facts = {}});
    // An update reads parameters, gradients and its state and writes back all but the gradients: that is how fast this rank's memory is.
    const auto arrays = static_cast<double>(trainer.replica().optimizer().state().size());
    if (step.update_s > 0)
      backend.set_bandwidth(4.0 * static_cast<double>(step.parameters()) * (3 + 2 * arrays) / (step.update_s * factor(rank, 0)));
    trainer.start();
    trainer.run();
    if (rank == 0) result_.groups.assign(trainer.plan().groups().begin(), trainer.plan().groups().end());
    if (request_.gradient) {
      const auto params = trainer.replica().params().all().floats();
      result_.params[rank].assign(params.begin(), params.end());
    }
    context.where = {};
  }

  void summarise() {
    result_.workers = workers_;
    const auto first = static_cast<std::size_t>(warm_up_);
    std::vector<double> medians;
    for (int rank = 0; rank < workers_; ++rank) {
      const StepTimes& times = times_[static_cast<std::size_t>(rank)];
      if (times.end_s.size() <= first)
        throw UsageError(fmt::format("strategy '{}' ended before its measured steps", request_.strategy->name));
      std::vector<double> durations;
      for (std::size_t k = first; k < times.end_s.size(); ++k) durations.push_back(times.end_s[k] - times.start_s[k]);
      const double span_s = times.end_s.back() - times.start_s[first];
      if (span_s > 0)
        result_.samples_per_s +=
            static_cast<double>(batches_[static_cast<std::size_t>(rank)]) * static_cast<double>(durations.size()) / span_s;
      medians.push_back(median(std::move(durations)));
    }
    // Where they do not step together the slowest by its times is known only now, and is recorded only where all were.
    const auto longest = std::max_element(medians.begin(), medians.end());
    const int at = static_cast<int>(longest - medians.begin());
    const bool together = *longest <= 1.001 * medians[static_cast<std::size_t>(reported_)];
    result_.reported_rank = together || !recorders_[static_cast<std::size_t>(at)] ? reported_ : at;
    result_.step_s = medians[static_cast<std::size_t>(result_.reported_rank)];
    const double alone_s = experiment_.cluster.time_scale * request_.step->compute_s();
    double ideal = 0;  // samples that undisturbed workers would do in alone_s
    for (std::size_t rank = 0; rank < batches_.size(); ++rank) ideal += static_cast<double>(batches_[rank]) * speeds_[rank];
    result_.efficiency = alone_s > 0 && ideal > 0 ? result_.samples_per_s * alone_s / ideal : 0;
    account(result_.reported_rank);
    if (!request_.keep_traces) return;
    for (int rank = 0; rank < workers_; ++rank)
      if (recorders_[static_cast<std::size_t>(rank)]) keep(rank);
  }

  std::vector<StepTrace> traces_of(int rank) const {
    const StepTimes& times = times_[static_cast<std::size_t>(rank)];
    std::vector<StepTrace> traces;
    for (auto k = static_cast<std::size_t>(warm_up_); k < times.end_s.size(); ++k)
      traces.push_back(
          recorders_[static_cast<std::size_t>(rank)]->trace(rank, static_cast<std::int64_t>(k), times.start_s[k], times.end_s[k]));
    return traces;
  }
  void keep(int rank) {
    auto traces = traces_of(rank);
    std::move(traces.begin(), traces.end(), std::back_inserter(result_.traces));
  }
  void account(int rank) {
    std::vector<double> compute, comm, exposed;
    for (const StepTrace& trace : traces_of(rank)) {
      const StepSums sums = account_step(trace);
      compute.push_back(sums.compute_s);
      comm.push_back(sums.comm_s);
      exposed.push_back(sums.exposed_s);
    }
    result_.compute_s = median(std::move(compute));
    result_.comm_s = median(std::move(comm));
    result_.exposed_s = median(std::move(exposed));
  }

  SimulationRequest request_;
  Experiment experiment_;
  Traits traits_;
  int workers_;
  std::vector<std::int64_t> batches_;
  std::int64_t warm_up_ = 0, measured_ = 0;
  int reported_ = 0;
  std::shared_ptr<const Topology> machines_;
  std::vector<double> speeds_;  // of the machines that the workers are on
  std::vector<StepTimes> times_;
  std::vector<std::unique_ptr<StepRecorder>> recorders_;
  SimulationResult result_;
};

}  // namespace

SimulationResult simulate(const SimulationRequest& request) {
  if (request.strategy == nullptr || request.step == nullptr) throw UsageError("internal error: a simulation without strategy or step");
  if (request.experiment.cluster.workers < 1) throw UsageError("internal error: a simulation without workers");
  return Job(request).run();
}

}  // namespace syncline
