// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/train/job.h"

#include <stdlib.h>

#include <atomic>

#include "engine/train/rank/supervised_task.h"

namespace syncline::test {
namespace {

class TestSync final : public Strategy {
 public:
  TestSync(bool overlap, bool spoil) : overlap_(overlap), spoil_(spoil) {}
  void start(Replica& r) override {
    r.comm().broadcast(r.params(), 0).wait();
    sums_.resize(r.plan().groups().size());
  }
  void gradient_ready(Replica& r, const LayerSlice& slice) override {
    const auto k = static_cast<std::size_t>(r.plan().group_of(slice));
    if (overlap_ && slice.index == r.plan().groups()[k].last) sums_[k] = r.sum_gradients(r.plan().groups()[k]);
  }
  void after_backward(Replica& r) override {
    const auto groups = r.plan().groups();
    if (!overlap_)
      for (std::size_t k = 0; k < groups.size(); ++k) sums_[k] = r.sum_gradients(groups[k]);
    auto update = r.optimizer().begin();
    for (std::size_t k = 0; k < groups.size(); ++k) {
      sums_[k].wait();
      update.apply(r.params()[groups[k]], r.grads()[groups[k]], r.mean_scale().after);
    }
    if (spoil_ && r.comm().rank() == 1 && r.step() == 3) r.set(r.params()[r.slices()[1]], {{1.5, r.params()[r.slices()[1]]}});
  }

 private:
  bool overlap_, spoil_;
  std::vector<Work> sums_;
};

Traits lockstep(const Params&) { return {}; }

class MeasurementCounter final : public Recorder {  // written on the communication thread, read when it has nothing more to do
 public:
  void span(const Span&) override {}
  void exchange(const Exchange& one) override { seen += one.label == "link profile"; }
  void scalar(std::string_view, std::int64_t, double) override {}
  void event(std::string_view, std::string) override {}
  std::atomic<int> seen = 0;
};

class RecordingObserver final : public TrainObserver {
 public:
  RecordingObserver(JobOutcome& outcome, std::mutex& mutex, int rank, const JobConfig& config)
      : outcome_(outcome), mutex_(mutex), rank_(rank), config_(config) {}
  void started(std::span<const LayerSlice>, const Plan& plan, std::int64_t, const Axes&) override {
    if (rank_ == 0) outcome_.buckets = plan.groups().size();
    if (rank_ == 0) outcome_.plan = plan.first_slices();
  }
  void step_begins(std::int64_t step) override {
    if (config_.at_step) config_.at_step(rank_, step);
  }
  void step_done(const StepDone&) override {}
  void meeting(const ControlWord& word, double lr, const Axes&) override {
    if (rank_ != 0) return;
    const std::lock_guard lock(mutex_);
    outcome_.losses[word.step - 1] = word.loss();
    outcome_.samples[word.step - 1] = word.samples;
    outcome_.learning_rates.push_back(lr);
  }
  void evaluated(const Evaluation& evaluation, const Axes&) override {
    if (rank_ == 0) outcome_.evaluations.push_back(evaluation);
  }
  void checkpointed(std::int64_t step, bool saved, const std::string& why, double, const Axes&) override {
    if (rank_ != 0) return;
    if (saved)
      outcome_.checkpoints.push_back(step);
    else
      outcome_.events.push_back(why);
  }
  void event(std::string_view, const std::string& text) override {
    if (rank_ == 0) outcome_.events.push_back(text);
  }

 private:
  JobOutcome& outcome_;
  std::mutex& mutex_;
  int rank_;
  const JobConfig& config_;
};

class TestInput final : public ControlInput {
 public:
  TestInput(int rank, const JobConfig& config) : rank_(rank), config_(config) {}
  std::uint32_t wanted() override {
    ++meetings_;
    if (config_.wanted) flags_ |= config_.wanted(rank_, meetings_);
    return flags_;
  }
  void done(std::uint32_t flags, bool, const std::string&) override { flags_ &= ~(flags & checkpoint_now); }

 private:
  int rank_;
  const JobConfig& config_;
  std::int64_t meetings_ = 0;
  std::uint32_t flags_ = 0;
};

void fail_on_complaint(const std::string&) {}

RankOutcome run_rank(World& world, const JobConfig& config, JobOutcome& outcome, std::mutex& mutex) {
  const Experiment& experiment = config.experiment;
  const int rank = world.rank(), ranks = world.size();
  Communicator& data = world.communicator();
  const auto control = data.duplicate("control");
  const auto backend = make_cpu_backend(1);
  const Split split = open_data(experiment.data, experiment.seed);
  std::vector<std::int64_t> batches = config.batch_per_rank;
  for (int r = static_cast<int>(batches.size()); r < ranks; ++r) batches.push_back(experiment.batch_of(r));
  LoaderOptions options;
  options.seed = experiment.seed;
  options.rank = rank;
  options.ranks = ranks;
  options.batch_per_rank = batches;
  options.last_batch = experiment.data.last_batch;
  options.augment = experiment.data.augment;
  options.prefetch = 0;
  const auto train = make_loader(split.train, options);
  options.train = false;
  const auto test = make_loader(split.test, options);
  SupervisedTask task({.layers = experiment.model.layers,
                       .input = split.train->shape(),
                       .classes = split.train->classes(),
                       .batch = batches[static_cast<std::size_t>(rank)],
                       .micro_batches = experiment.train.micro_batches,
                       .seed = experiment.seed},
                      *backend);
  RealClock clock;
  TrainingClockOf<RealClock> training_clock(clock);
  NullRecorder recorder;
  MeasurementCounter measurements;
  if (rank == 0) world.communicator().trace(&measurements);
  RecordingObserver observer(outcome, mutex, rank, config);
  TestInput input(rank, config);
  Activity activity;
  const auto fault = config.faults.find(rank);
  FaultPoints faults(fault == config.faults.end() ? std::nullopt : std::optional(fault->second), rank);
  ComputeGate gate;
  std::optional<Checkpoints> sink;
  if (!config.save_to.empty())
    sink.emplace(
        CheckpointOptions{
            .folder = config.save_to, .keep = config.keep, .run_id = "test", .experiment_hash = "test", .alive = {}, .committed = {}},
        *control);
  std::unique_ptr<OpenedCheckpoint> resume, parameters;
  if (!config.resume_from.empty()) resume = open_newest(*control, config.resume_from, fail_on_complaint);
  if (!config.parameters_from.empty()) parameters = open_newest(*control, config.parameters_from, fail_on_complaint);
  Trainer trainer({.experiment = experiment,
                   .strategy = *config.strategy,
                   .task = task,
                   .backend = *backend,
                   .data = data,
                   .control = *control,
                   .train = *train,
                   .test = config.evaluate ? test.get() : nullptr,
                   .batch_per_rank = batches,
                   .clock = clock,
                   .training_clock = training_clock,
                   .recorder = recorder,
                   .observer = observer,
                   .input = input,
                   .activity = activity,
                   .faults = faults,
                   .gate = gate,
                   .sink = sink ? &*sink : nullptr,
                   .resume = resume.get(),
                   .parameters_from = parameters.get()},
                  {.only_steps = {}, .threads = 1, .hash_every = config.hash_every, .facts = {}});
  trainer.start();
  RankOutcome mine;
  if (resume) mine.active_before_s = StateReader(resume->values()).real("clock/active_s");
  mine.result = trainer.run();
  mine.active_s = clock.training_s();
  world.communicator().barrier().wait();
  if (rank == 0) {
    world.communicator().trace(nullptr);
    outcome.link_measurements = measurements.seen;
  }
  const auto params = trainer.replica().params().all().floats(), statistics = trainer.statistics().floats();
  mine.params.assign(params.begin(), params.end());
  mine.statistics.assign(statistics.begin(), statistics.end());
  const auto evaluated = trainer.evaluated_statistics().floats();
  mine.evaluated_statistics.assign(evaluated.begin(), evaluated.end());
  return mine;
}

}  // namespace

const StrategyEntry sync_entry{.name = "test-sync",
                               .title = "",
                               .paper = "",
                               .summary = "",
                               .parameters = {},
                               .traits = lockstep,
                               .check = nullptr,
                               .make = [](const Params&) -> std::unique_ptr<Strategy> { return std::make_unique<TestSync>(true, false); }};
const StrategyEntry late_sync_entry{
    .name = "test-late-sync",
    .title = "",
    .paper = "",
    .summary = "",
    .parameters = {},
    .traits = lockstep,
    .check = nullptr,
    .make = [](const Params&) -> std::unique_ptr<Strategy> { return std::make_unique<TestSync>(false, false); }};
const StrategyEntry broken_entry{.name = "test-broken",
                                 .title = "",
                                 .paper = "",
                                 .summary = "",
                                 .parameters = {},
                                 .traits = lockstep,
                                 .check = nullptr,
                                 .make = [](const Params&) -> std::unique_ptr<Strategy> { return std::make_unique<TestSync>(true, true); }};

Value numbers(const std::vector<std::int64_t>& values) {
  std::vector<Value> list;
  for (const std::int64_t value : values) list.push_back({value});
  return {list};
}

LayerSpec layer(const std::string& type, const std::string& name, const Options& options, std::vector<std::string> inputs) {
  return {.type = type,
          .name = name,
          .inputs = std::move(inputs),
          .options = with_defaults(layer_entry(type).parameters, options),
          .origin = {}};
}

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "syncline-train-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void set_optimizer(Experiment& experiment, const std::string& name, const Options& options) {
  for (const Entry& entry : optimizer_entries())
    if (entry.name == name) experiment.train.optimizer = {name, with_defaults(entry.parameters, options)};
}
void set_schedule(Experiment& experiment, const std::string& name, const Options& options) {
  for (const Entry& entry : schedule_entries())
    if (entry.name == name) experiment.train.schedule = {name, with_defaults(entry.parameters, options)};
}

JobConfig small_job(int ranks) {
  JobConfig config;
  config.ranks = ranks;
  config.strategy = &sync_entry;
  Experiment& experiment = config.experiment;
  experiment.name = "small";
  experiment.seed = 7;
  experiment.complete = "name = \"small\"\n";
  experiment.model.layers = {layer("conv", "conv1", {{"channels", {std::int64_t{4}}}, {"kernel", numbers({3})}, {"padding", numbers({1})}}),
                             layer("batch_norm", "bn1"),
                             layer("relu", "relu1"),
                             layer("flatten", "flat"),
                             layer("dropout", "drop", {{"rate", {0.2}}}),
                             layer("linear", "fc1", {{"features", {std::int64_t{16}}}}),
                             layer("relu", "relu2"),
                             layer("linear", "fc2", {{"features", {std::int64_t{3}}}})};
  for (const Entry& entry : source_entries())
    if (entry.name == "synthetic")
      experiment.data.options = with_defaults(entry.parameters, {{"classes", {std::int64_t{3}}},
                                                                 {"height", {std::int64_t{6}}},
                                                                 {"width", {std::int64_t{6}}},
                                                                 {"train_size", {std::int64_t{60}}},
                                                                 {"test_size", {std::int64_t{23}}}});
  experiment.data.source = "synthetic";
  experiment.train.epochs = 2;
  experiment.train.batch_per_worker = {9 / ranks};
  experiment.cluster.workers = ranks;
  for (int rank = 0; rank < ranks; ++rank) config.batch_per_rank.push_back(9 * (rank + 1) / ranks - 9 * rank / ranks);
  experiment.strategy.plan = "wfbp";
  set_optimizer(experiment, "sgd", {{"lr", {0.05}}, {"momentum", {0.9}}});
  set_schedule(experiment, "constant", {});
  return config;
}

JobOutcome run_job(const JobConfig& config) {
  JobOutcome outcome;
  outcome.ranks.resize(static_cast<std::size_t>(config.ranks));
  std::mutex mutex;
  ThreadWorld world(config.ranks, config.world);
  run_ranks(world, [&](World& mine) { outcome.ranks[static_cast<std::size_t>(mine.rank())] = run_rank(mine, config, outcome, mutex); });
  return outcome;
}

}  // namespace syncline::test
