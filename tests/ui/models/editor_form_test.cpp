// SPDX-License-Identifier: GPL-3.0-or-later
// Fields made from the schema, the examination of a text, and what is said before a launch.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <QThreadPool>
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/sim/schema.h"
#include "ui/models/editor/editor_tables.h"
#include "ui/models/editor/examination.h"
#include "ui/models/editor/form_catalogue.h"
#include "ui/models/editor/form_fields.h"
#include "ui/models/editor/launching.h"
#include "ui/models/editor/validator.h"
#include "ui/models/format.h"

namespace syncline::ui {
namespace {

const std::string synthetic = R"(name = "small"

[model]
layers = [
  { type = "conv", channels = 4, kernel = 3, padding = 1 },
  { type = "relu" },
  { type = "flatten" },
  { type = "linear", features = 10 },
]

[data]
source = "synthetic"

[train]
epochs = 2
batch_per_worker = 32

[cluster]
workers = 2

[strategy]
name = "sync"
plan = "wfbp"
)";

const Field* find(const std::vector<Field>& fields, const std::string& key) {
  for (const Field& field : fields) {
    if (field.key().toStdString() == key) return &field;
  }
  return nullptr;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(Forms, EveryKeyOfTheSchemaHasItsPlaceInExactlyOneStep) {
  std::map<std::string, int> places;
  for (const Step step : steps) {
    for (const FormPart& part : parts_of(step)) {
      for (const Parameter& parameter : section(part.section).parameters) {
        const bool shown = part.only.empty() || std::find(part.only.begin(), part.only.end(), parameter.key) != part.only.end();
        if (!shown || parameter.kind == Parameter::table) continue;
        ++places[part.section + "." + std::string(parameter.key)];
        const std::string key = (part.section.empty() ? "" : part.section + ".") + std::string(parameter.key);
        EXPECT_EQ(step_of_key(key), step) << key;
      }
    }
  }
  for (const Section& each : sections()) {
    // Layers have a form of their own, one per layer; machines of a topology are refused by this version.
    if (each.repeated) continue;
    for (const Parameter& parameter : each.parameters) {
      if (parameter.kind == Parameter::table) continue;
      EXPECT_EQ(places[std::string(each.name) + "." + std::string(parameter.key)], 1) << each.name << "." << parameter.key;
    }
  }
}

TEST(Forms, AStrategysAndAnOptimizersOwnKeysFollowTheChoice) {
  ExperimentDocument document(synthetic);
  std::vector<Field> fields = fields_of(document, catalogue(), parts_of(Step::optimizer));
  ASSERT_NE(find(fields, "train.optimizer.momentum"), nullptr);
  EXPECT_EQ(find(fields, "train.optimizer.beta1"), nullptr);
  ASSERT_TRUE(document.setValue({"train", "optimizer", "name"}, "\"adam\""));
  fields = fields_of(document, catalogue(), parts_of(Step::optimizer));
  EXPECT_EQ(find(fields, "train.optimizer.momentum"), nullptr);
  EXPECT_NE(find(fields, "train.optimizer.beta1"), nullptr);
  EXPECT_EQ(std::count_if(fields.begin(), fields.end(), [](const Field& f) { return f.key() == QStringLiteral("train.optimizer.lr"); }), 1);
}

TEST(Forms, AnOrchestrationsKeysFollowTheChoice) {
  ExperimentDocument document(synthetic);
  std::vector<Field> fields = fields_of(document, catalogue(), parts_of(Step::strategy));
  ASSERT_NE(find(fields, "strategy.orchestration"), nullptr);
  EXPECT_NE(find(fields, "strategy.submit_order"), nullptr);
  EXPECT_NE(find(fields, "strategy.hook_jitter"), nullptr);
  EXPECT_EQ(find(fields, "strategy.orchestration_options.cycle_time"), nullptr);
  ASSERT_TRUE(document.setValue({"strategy", "orchestration"}, "\"bitvector\""));
  fields = fields_of(document, catalogue(), parts_of(Step::strategy));
  EXPECT_NE(find(fields, "strategy.orchestration_options.cycle_time"), nullptr);
  EXPECT_NE(find(fields, "strategy.orchestration_options.cache_capacity"), nullptr);
  EXPECT_EQ(find(fields, "strategy.orchestration_options.fusion_threshold"), nullptr);  // where messages are merged
  ASSERT_TRUE(document.setValue({"strategy", "orchestration_options", "separate_groups"}, "false"));
  fields = fields_of(document, catalogue(), parts_of(Step::strategy));
  EXPECT_NE(find(fields, "strategy.orchestration_options.fusion_threshold"), nullptr);
  ASSERT_TRUE(document.setValue({"strategy", "orchestration"}, "\"coordinator\""));
  fields = fields_of(document, catalogue(), parts_of(Step::strategy));
  EXPECT_EQ(find(fields, "strategy.orchestration_options.cache_capacity"), nullptr);
}

TEST(Forms, AFieldKnowsItsDefaultAndWhetherItDiffers) {
  ExperimentDocument document("[train]\nbatch_per_worker = 64\n[cluster]\nworkers = 4\n[cluster.link]\nlatency = 0.0\n");
  std::vector<Field> fields = fields_of(document, catalogue(), std::vector<FormPart>{{"cluster"}, {"cluster.link"}, {"train"}});
  EXPECT_TRUE(find(fields, "cluster.workers")->differs);
  EXPECT_EQ(find(fields, "cluster.workers")->initial, QStringLiteral("1"));
  EXPECT_FALSE(find(fields, "cluster.link.latency")->differs);
  EXPECT_FALSE(find(fields, "train.batch_per_worker")->differs);  // 64 and [64] are one value
  EXPECT_FALSE(find(fields, "cluster.device")->given);
}

TEST(Forms, AKeyThatDependsOnAnotherAppearsWithIt) {
  ExperimentDocument document(synthetic);
  EXPECT_EQ(find(fields_of(document, catalogue(), parts_of(Step::launch)), "train.stop_at_target"), nullptr);
  ASSERT_TRUE(document.setValue({"train", "target_accuracy"}, "0.9"));
  EXPECT_NE(find(fields_of(document, catalogue(), parts_of(Step::launch)), "train.stop_at_target"), nullptr);
}

TEST(Forms, ATableThatDependsOnAKeyAroundItAppearsWithIt) {
  ExperimentDocument document(synthetic);
  for (const char* key : {"cluster.jitter.std", "cluster.profile", "cluster.time_scale"})
    EXPECT_EQ(find(fields_of(document, catalogue(), parts_of(Step::topology)), key), nullptr) << key;
  ASSERT_TRUE(document.setValue({"cluster", "compute"}, "\"paced\""));
  for (const char* key : {"cluster.jitter.std", "cluster.profile", "cluster.time_scale"})
    EXPECT_NE(find(fields_of(document, catalogue(), parts_of(Step::topology)), key), nullptr) << key;
}

TEST(Forms, KeysThatMeanNothingWithAStrategySayWhy) {
  ExperimentDocument document(replaced(synthetic, "\"sync\"", "\"none\""));
  const std::vector<Field> fields = fields_of(document, catalogue(), parts_of(Step::strategy));
  EXPECT_TRUE(find(fields, "strategy.plan")->why_not.contains(QStringLiteral("exchanges no gradients")));
  EXPECT_TRUE(find(fields, "strategy.allreduce")->why_not.isEmpty());
}

TEST(Forms, APluginsOptionsBecomeFieldsAndAreCheckedLikeBuiltInOnes) {
  RuleDescription rule;
  rule.name = "plugin:mine";
  rule.title = "Mine";
  const auto add = [&rule](const char* key, const char* kind, auto initial, std::optional<double> least, std::optional<double> most) {
    OptionDescription& option = rule.options.emplace_back();
    option.key = key;
    option.help = "Of the test.";
    option.kind = kind;
    option.initial = initial;
    option.least = least;
    option.most = most;
  };
  add("lr", "real", 0.5, {}, {});
  add("eta", "real", 0.1, 0.0, 1.0);
  add("odd", "integer", std::int64_t{9}, {}, 3.0);  // a default outside its own range
  const std::string text = synthetic + "\n[train.optimizer]\nname = \"plugin:mine\"\neta = 7\n";
  ExperimentDocument document(text);
  EXPECT_EQ(find(fields_of(document, form_catalogue(), parts_of(Step::optimizer)), "train.optimizer.eta"), nullptr);
  EXPECT_TRUE(set_described_plugins({rule}));
  EXPECT_FALSE(set_described_plugins({rule}));
  const std::vector<Field> fields = fields_of(document, form_catalogue(), parts_of(Step::optimizer));
  ASSERT_NE(find(fields, "train.optimizer.eta"), nullptr);
  EXPECT_EQ(find(fields, "train.optimizer.lr")->initial, QStringLiteral("0.5"));
  EXPECT_NE(find(fields, "train.optimizer.odd"), nullptr);
  const Examination result = examine(text, {}, form_catalogue());
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.problems.front().origin.key, "train.optimizer.eta");
  EXPECT_TRUE(set_described_plugins({}));
}

TEST(Forms, CompletionOffersTheKeysOfTheTableThatAreNotThereYet) {
  ExperimentDocument document(synthetic);
  const auto keys = [&](const KeyPath& table) {
    std::set<std::string> names;
    for (const Completion& completion : completions_in(document.tree(), catalogue(), table)) names.insert(completion.key);
    return names;
  };
  EXPECT_TRUE(keys({"train"}).contains("steps"));
  EXPECT_FALSE(keys({"train"}).contains("epochs"));  // it is there
  EXPECT_TRUE(keys({"cluster", "link"}).contains("bandwidth"));
  EXPECT_TRUE(keys({"strategy"}).contains("allreduce"));
  EXPECT_TRUE(keys({"data"}).contains("classes") || keys({"data"}).contains("noise")) << "keys of the chosen source";
  EXPECT_TRUE(keys({"no", "such"}).empty());
}

TEST(Examination, OfAValidTextHasLayersMessagesDataAndEstimates) {
  const Examination result = examine(synthetic);
  EXPECT_TRUE(result.problems.empty()) << to_string(result.problems.front());
  ASSERT_EQ(result.layers.size(), 4U);
  EXPECT_EQ(result.layers[0].index, 0);
  EXPECT_TRUE(result.layers[3].problem.isEmpty());
  ASSERT_TRUE(result.parameters);
  std::int64_t sum = 0, bytes = 0;
  for (const LayerRow& row : result.layers) sum += row.parameters.value_or(0);
  EXPECT_EQ(sum, *result.parameters);
  for (const BucketRow& bucket : result.buckets) bytes += bucket.bytes;
  EXPECT_EQ(bytes, 4 * *result.parameters);
  EXPECT_GT(result.buckets.size(), 1U);
  ASSERT_TRUE(result.data && result.global_batch && result.steps_per_epoch && result.total_steps);
  EXPECT_EQ(*result.global_batch, 64);
  EXPECT_EQ(*result.total_steps, 2 * *result.steps_per_epoch);
  EXPECT_FALSE(result.learning_rate.rates.empty());
  EXPECT_DOUBLE_EQ(result.learning_rate.first, 0.01);
  for (const Estimate& estimate : result.estimates) EXPECT_FALSE(estimate.origin.isEmpty()) << estimate.name.toStdString();
}

// Shapes need the source; how its samples are dealt is another matter, whichever key that is.
TEST(Examination, AMistakeInHowSamplesAreDealtDoesNotHideTheModel) {
  for (const char* wrong : {"residency = \"memory\"\ndimd_groups = 3", "prefetch = -1", "shards = \"odd\"", "read_delay = \"soon\""}) {
    const Examination result = examine(replaced(synthetic, "[data]\n", std::string("[data]\n") + wrong + "\n"));
    EXPECT_FALSE(result.problems.empty()) << wrong;
    EXPECT_TRUE(result.model_problem.isEmpty()) << result.model_problem.toStdString();
    EXPECT_TRUE(result.parameters) << wrong;
  }
}

TEST(Examination, LayersOfOneMessageAreBracketedAndThoseBetweenThemToo) {
  const Examination single = examine(replaced(synthetic, "\"wfbp\"", "\"single\""));
  for (const LayerRow& row : single.layers) EXPECT_EQ(row.bucket, 0) << row.name.toStdString();
  const Examination each = examine(synthetic);
  EXPECT_NE(each.layers[0].bucket, each.layers[3].bucket);
  EXPECT_EQ(each.layers[1].bucket, -1);  // no gradients, and between two messages
}

// What is sent does not wait for the times that decide how it is grouped.
TEST(Examination, APlanFromMeasuredTimesHasItsBytesBeforeItsMessages) {
  const auto sent = [](const Examination& result) {
    for (const Estimate& estimate : result.estimates) {
      if (estimate.name == QStringLiteral("Sent per step")) return estimate.value;
    }
    return QString();
  };
  const Examination measured = examine(replaced(synthetic, "\"wfbp\"", "\"mg-wfbp\"")),
                    single = examine(replaced(synthetic, "\"wfbp\"", "\"single\""));
  EXPECT_TRUE(measured.buckets.empty());
  EXPECT_TRUE(measured.buckets_note.contains(QStringLiteral("measured when a run starts"))) << measured.buckets_note.toStdString();
  EXPECT_EQ(sent(measured), sent(single));
  EXPECT_TRUE(sent(measured).endsWith(QStringLiteral("per rank"))) << sent(measured).toStdString();
}

TEST(Examination, TheModelIsShownWhileOtherPartsOfTheTextAreWrong) {
  const Examination result = examine(replaced(synthetic, "epochs = 2", "epochs = 0"));
  EXPECT_FALSE(result.problems.empty());
  ASSERT_EQ(result.layers.size(), 4U);
  EXPECT_TRUE(result.layers[3].parameters);
  EXPECT_FALSE(result.model_totals.isEmpty());
}

TEST(Examination, TheFirstImpossibleLayerIsMarkedAndTheRestIsUnknown) {
  // A kernel that is larger than what it slides over.
  const Examination result = examine(replaced(synthetic, "{ type = \"relu\" }", "{ type = \"conv\", channels = 4, kernel = 99 }"));
  EXPECT_FALSE(result.problems.empty());
  ASSERT_EQ(result.layers.size(), 4U);
  EXPECT_TRUE(result.layers[0].problem.isEmpty());
  EXPECT_FALSE(result.layers[0].out.isEmpty());
  EXPECT_TRUE(result.layers[0].parameters);
  EXPECT_FALSE(result.layers[1].problem.isEmpty());
  EXPECT_FALSE(result.layers[1].beyond);
  EXPECT_TRUE(result.layers[2].beyond && result.layers[3].beyond);
  EXPECT_TRUE(result.layers[2].out.isEmpty());
}

TEST(Examination, ALayerThatIsWrittenWrongIsMarkedAndTheOnesBeforeItHaveShapes) {
  const Examination result = examine(replaced(synthetic, "{ type = \"flatten\" }", "{ type = \"flaten\" }"));
  ASSERT_EQ(result.layers.size(), 4U);
  EXPECT_FALSE(result.layers[1].out.isEmpty());
  EXPECT_TRUE(result.layers[2].problem.contains(QStringLiteral("flatten"))) << result.layers[2].problem.toStdString();
  EXPECT_TRUE(result.layers[3].beyond);
}

TEST(Examination, ALastLayerWithTheWrongNumberOfClassesIsTheOneMarked) {
  const Examination result = examine(replaced(synthetic, "features = 10", "features = 7"));
  EXPECT_FALSE(result.problems.empty());
  EXPECT_FALSE(result.layers[3].problem.isEmpty());
  EXPECT_TRUE(result.layers[2].problem.isEmpty());
}

TEST(Examination, DataThatIsNotThereIsSaidAndIsNoProblemOfTheText) {
  const Examination result = examine(replaced(synthetic, "source = \"synthetic\"", "source = \"cifar10\"\npath = \"/nowhere\""));
  EXPECT_TRUE(result.problems.empty());
  EXPECT_TRUE(result.data_problem.contains(QStringLiteral("/nowhere")));
  EXPECT_FALSE(result.model_problem.isEmpty());
  EXPECT_EQ(result.layers.size(), 4U);
}

TEST(Examination, OfATextThatIsNoTomlIsOneProblemWithItsLine) {
  const Examination result = examine("name = \"a\"\n[train\n");
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_EQ(result.problems.front().origin.line, 2);
}

TEST(Examination, NeverThrowsWhateverTheTextHolds) {
  for (const char* text :
       {"", "model = 3", "[model]\nlayers = 5", "[model]\nlayers = [1, 2]", "[model]\nzoo = \"lenet\"\n[data]\nsource = 7",
        "[data]\nsource = \"synthetic\"\n[model]\nlayers = []", "[[model.layers]]\n", "x = [{]"}) {
    const Examination result = examine(text);
    EXPECT_FALSE(result.problems.empty()) << text;
  }
}

TEST(Validator, ExaminesAfterThePauseOnceAndOnlyTheNewestText) {
  ExperimentDocument document(synthetic);
  Validator validator(document);
  QSignalSpy examined(&validator, &Validator::examined);
  ASSERT_TRUE(QTest::qWaitFor([&] { return validator.upToDate(); }));
  EXPECT_TRUE(validator.latest()->problems.empty());
  const auto before = examined.count();
  for (const char* typed : {"0", "00", "0.0"}) document.setValue({"train", "epochs"}, typed);
  EXPECT_FALSE(validator.upToDate());
  ASSERT_TRUE(QTest::qWaitFor([&] { return validator.upToDate(); }));
  EXPECT_EQ(examined.count(), before + 1);
  EXPECT_EQ(validator.latest()->text, document.text());
  EXPECT_FALSE(validator.latest()->problems.empty());
}

TEST(Validator, MayGoWhileAnExaminationRuns) {
  ExperimentDocument document(synthetic);
  {
    Validator validator(document);
    validator.examineNow();
  }
  QThreadPool::globalInstance()->waitForDone();
  QCoreApplication::processEvents();  // the late answer finds nobody
  SUCCEED();
}

TEST(Tables, OfLayersAndTopologyKeepTheRulesOfModels) {
  LayerTable table;
  QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
  const Examination result = examine(synthetic);
  table.setRows(result.layers);
  EXPECT_EQ(table.rowCount(), 4);
  double shares = 0;
  for (int row = 0; row < 4; ++row) shares += table.index(row, LayerTable::parameters_column).data(LayerTable::share_role).toDouble();
  EXPECT_NEAR(shares, 1, 1e-12);
  table.setRows({});
  EXPECT_EQ(table.rowCount(), 0);

  ExperimentDocument document(synthetic);
  TopologyModel topology(document);
  QAbstractItemModelTester topology_tester(&topology, QAbstractItemModelTester::FailureReportingMode::Fatal);
  EXPECT_EQ(topology.shape().workers, 2);
  QSignalSpy changed(&topology, &TopologyModel::shapeChanged);
  const QModelIndex bandwidth = topology.index(topology.rowOf(QStringLiteral("cluster.link.bandwidth")), TopologyModel::value_column);
  ASSERT_TRUE(topology.setData(bandwidth, QStringLiteral("10 Gbit/s"), Qt::EditRole));
  EXPECT_EQ(changed.count(), 1);
  EXPECT_DOUBLE_EQ(topology.shape().bandwidth_bytes_per_s, 1.25e9);
  EXPECT_NE(document.text().find("bandwidth = \"10 Gbit/s\""), std::string::npos);
  document.undoStack().undo();
  EXPECT_EQ(topology.shape().bandwidth_bytes_per_s, 0);
}

TEST(Seeds, AreReadFromRangesAndLists) {
  EXPECT_EQ(parse_seeds(QStringLiteral("1-3, 7")), (std::vector<std::uint64_t>{1, 2, 3, 7}));
  EXPECT_EQ(parse_seeds(QStringLiteral("1–2")), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(parse_seeds(QString()), std::vector<std::uint64_t>{});
  for (const char* wrong : {"x", "5-1", "1-2-3", "1, 1", "-4", "1-5000"}) {
    QString reason;
    EXPECT_FALSE(parse_seeds(QString::fromLatin1(wrong), &reason)) << wrong;
    EXPECT_FALSE(reason.isEmpty()) << wrong;
  }
}

PreflightItem::State state_of(const std::vector<PreflightItem>& items, const char* id) {
  for (const PreflightItem& item : items) {
    if (item.id == QLatin1String(id)) return item.state;
  }
  ADD_FAILURE() << "no item " << id;
  return PreflightItem::unknown;
}

TEST(Preflight, SaysForEachConditionWhetherItHolds) {
  const Examination result = examine(synthetic);
  Surroundings around{.engine_problem = {}, .engine_version = QStringLiteral("0.1.0"), .mpirun = true, .cores = 8, .free_bytes = 1e12};
  std::vector<PreflightItem> items = preflight(result, around);
  for (const char* id : {"experiment", "engine", "mpirun", "slots", "data", "disk"})
    EXPECT_EQ(state_of(items, id), PreflightItem::good) << id;
  around = {.engine_problem = QStringLiteral("none"), .engine_version = {}, .mpirun = false, .cores = 1, .free_bytes = 10};
  items = preflight(result, around);
  for (const char* id : {"engine", "mpirun", "disk"}) EXPECT_EQ(state_of(items, id), PreflightItem::bad) << id;
  EXPECT_EQ(state_of(items, "slots"), PreflightItem::warning);
  EXPECT_EQ(state_of(preflight(examine(replaced(synthetic, "epochs = 2", "epochs = 0")), around), "experiment"), PreflightItem::bad);
}

TEST(DryRun, WithFewerRanksThanAskedIsAFailedStart) {
  EngineProgram::Answer answer{.exit_code = 0, .output = R"({"ranks": 1, "communicator": "none", "threads_per_worker": 1})", .error = {}};
  const DryRunAnswer read = read_dry_run(answer, 8);
  EXPECT_FALSE(read.ok);
  EXPECT_TRUE(read.sentences.front().contains(QStringLiteral("asked for 8 ranks, got 1"))) << read.sentences.front().toStdString();
  answer.output = "garbage";
  EXPECT_FALSE(read_dry_run(answer, 1).ok);
}

TEST(Examination, TheStepTimeIsEstimatedFromMeasuredLayerTimes) {
  const auto step_time = [](const Examination& result) {
    for (const Estimate& estimate : result.estimates) {
      if (estimate.name == QStringLiteral("Step time")) return estimate;
    }
    return Estimate{};
  };
  EXPECT_EQ(step_time(examine(synthetic)).value, format::missing);
  Profile profile;
  profile.forward_s = 0.010;
  std::size_t slices = 0;
  for (const BucketRow& bucket : examine(synthetic).buckets) slices += static_cast<std::size_t>(bucket.layers.size());
  profile.backward_s.assign(slices, 0.010 / static_cast<double>(slices));
  profile.update_s = 0.002;
  const std::string alone = replaced(synthetic, "workers = 2", "workers = 1");
  const Examination one = examine(alone, profile, catalogue(), QStringLiteral("a traced run"));
  ASSERT_TRUE(one.step_s) << one.buckets_note.toStdString();
  EXPECT_NEAR(*one.step_s, 0.022, 1e-12);
  EXPECT_EQ(step_time(one).value, format::duration(*one.step_s));
  EXPECT_TRUE(step_time(one).full.contains(QStringLiteral("a traced run")));
}

}  // namespace
}  // namespace syncline::ui
