// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include "engine/base/error.h"
#include "engine/sim/preview.h"
#include "engine/sim/schema.h"
#include "engine/sim/traced_profile.h"
#include "ui/models/editor/editor_tables.h"
#include "ui/models/editor/field_values.h"
#include "ui/models/format.h"
#include "ui/views/editor/step_pages.h"

namespace syncline::ui {

namespace {

constexpr std::size_t most_profiles = 30;

struct ProfiledRun {
  QString id, text, name;
  bool operator==(const ProfiledRun&) const = default;
};
using ProfiledRuns = std::vector<ProfiledRun>;

class StrategyStep : public StepPage {
 public:
  StrategyStep(EditorParts& editor, QWidget* parent) : StepPage(Step::strategy, editor, parts_of(Step::strategy), parent) {
    about_ = addNote(QStringLiteral("editor.strategy.about"));
    addHeading(tr("Messages of a step"));
    auto* row = new QHBoxLayout;
    auto* label = new QLabel(tr("Layer &times from"), this);
    profile_ = new QComboBox(this);
    profile_->setObjectName(QStringLiteral("editor.strategy.profile"));
    profile_->setAccessibleName(tr("Run whose measured layer times are used"));
    profile_->setFocusPolicy(Qt::StrongFocus);
    profile_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    profile_->setMinimumContentsLength(24);
    label->setBuddy(profile_);
    row->addWidget(label);
    row->addWidget(profile_);
    row->addStretch(1);
    column()->addLayout(row);
    fillProfiles();
    connect(profile_, &QComboBox::activated, this, [this] { useProfile(); });

    view_ = new QTableView(this);
    view_->setModel(&table_);
    set_up_table(*view_, QStringLiteral("editor.strategy.buckets"), tr("Messages of a step"));
    const int widths[] = {36, 240, 90, 80, 80, 80};
    for (int i = 0; i < BucketTable::column_count; ++i) view_->setColumnWidth(i, widths[i]);
    view_->horizontalHeader()->setSectionResizeMode(BucketTable::layers_column, QHeaderView::Stretch);
    column()->addWidget(view_);
    note_ = addNote(QStringLiteral("editor.strategy.note"));
    column()->addStretch(1);
  }

  void show(const Examination& examination) override {
    StepPage::show(examination);
    // Times are of a model, a batch and a link: another text is asked for again.
    if (examination.text != profiled_text_) useProfile();
    table_.setRows(examination.buckets);
    view_->setVisible(!examination.buckets.empty());
    fit_height(*view_, 8);
    QStringList notes;
    if (!examination.bucket_totals.isEmpty()) notes << examination.bucket_totals + u'.';
    if (!examination.buckets_note.isEmpty()) notes << examination.buckets_note + u'.';
    if (!profile_problem_.isEmpty()) notes << profile_problem_ + u'.';
    if (notes.isEmpty() && examination.buckets.empty()) notes << tr("The messages are listed once the experiment is valid.");
    note_->setText(notes.join(u'\n'));
    QStringList lines;
    const document::Node& root = parts().document.tree();
    for (const char* name : {"strategy", "strategy.plan_options", "strategy.allreduce_options", "strategy.orchestration_options"}) {
      const Entry* entry = chosen_entry(root, catalogue(), section(name));
      if (entry == nullptr) continue;
      QString line = QStringLiteral("%1: %2").arg(text_of(entry->title), text_of(entry->summary));
      if (!entry->paper.empty()) line += QStringLiteral(" %1.").arg(text_of(entry->paper));
      lines << line;
    }
    about_->setText(lines.join(u'\n'));
  }

  void becameVisible() override {
    parts().workbench.store().read<ProfiledRuns>(
        this, QStringLiteral("profiled runs"),
        [](Reader& reader) {
          ProfiledRuns found;
          for (const RunInfo& run : traced_runs(reader)) {
            const QString name = QString::fromStdString(run.name);
            // Runs of one name are told apart by seed and number.
            found.push_back({QString::fromStdString(run.id),
                             tr("%1 (%2, seed %3, …%4)")
                                 .arg(name, QString::fromStdString(run.model))
                                 .arg(run.seed)
                                 .arg(QString::fromStdString(run.id).right(6)),
                             name});
          }
          return found;
        },
        [this](const ProfiledRuns& runs) {
          if (runs == runs_) return;
          runs_ = runs;
          fillProfiles();
          useProfile();
        });
  }

 private:
  static std::vector<RunInfo> traced_runs(Reader& reader) {
    std::vector<RunInfo> found, runs = reader.runs();
    for (auto run = runs.rbegin(); run != runs.rend() && found.size() < most_profiles; ++run) {
      if (!run->trashed && run->kind == "measured" && !reader.traces(run->id).empty()) found.push_back(*run);
    }
    return found;
  }

  void fillProfiles() {
    const QString chosen = profile_->currentData().toString();
    profile_->clear();
    profile_->addItem(runs_.empty() ? tr("no profiled run yet") : tr("the newest run that fits"), QString());
    for (const ProfiledRun& run : runs_) profile_->addItem(run.text, run.id);
    profile_->setCurrentIndex(std::max(0, profile_->findData(chosen)));
    profile_->setEnabled(!runs_.empty());
    profile_->setToolTip(runs_.empty() ? tr("Times need a traced run of this model and batch") : QString());
  }

  struct Found {
    QString run;
    std::optional<Profile> profile;
  };

  // Of the chosen run, or else of the newest one whose model and batch are this experiment's.
  void useProfile() {
    const auto examination = parts().validator.latest();
    if (!examination) return;
    profiled_text_ = examination->text;
    const QString chosen = profile_->currentData().toString();
    if (!examination->experiment || examination->layer_specs.empty()) return use({}, chosen);
    parts().workbench.store().read<Found>(
        this, QStringLiteral("profile"),
        [id = chosen.toStdString(), experiment = *examination->experiment](Reader& reader) {
          const DataShape shapes = data_shape(experiment.data);
          const ModelDescription model =
              describe_model(expand_model(experiment.model, shapes.shape, shapes.classes), shapes.shape, shapes.classes);
          const std::vector<RunInfo> runs = id.empty() ? traced_runs(reader) : std::vector<RunInfo>{reader.run(id)};
          for (const RunInfo& run : runs) {
            try {
              return Found{QString::fromStdString(run.name), traced_profile(reader, run, model.slices, experiment)};
            } catch (const Error&) {  // of another model or batch, or damaged
            }
          }
          return Found{};
        },
        [this, chosen](const Found& found) { use(found, chosen); }, [this, chosen](const QString&) { use({}, chosen); });
  }

  void use(const Found& found, const QString& chosen) {
    profile_problem_ = chosen.isEmpty() || found.profile
                           ? QString()
                           : tr("That run is of another model or batch, or was not traced: its layer times say nothing here");
    if (found.profile || parts().validator.hasProfile() || !profile_problem_.isEmpty())
      parts().validator.setProfile(found.profile, found.run);
  }

  QLabel *about_, *note_;
  QComboBox* profile_;
  BucketTable table_;
  QTableView* view_;
  ProfiledRuns runs_;
  QString profile_problem_;
  std::string profiled_text_;  // the text that the profile was last asked for
};

}  // namespace

StepPage* make_strategy_step(EditorParts& parts, QWidget* parent) { return new StrategyStep(parts, parent); }

}  // namespace syncline::ui
