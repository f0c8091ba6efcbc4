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
  QString id, text;
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
    connect(profile_, &QComboBox::activated, this, [this](int index) { useProfile(profile_->itemData(index).toString()); });

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
    for (const char* name : {"strategy", "strategy.plan_options", "strategy.allreduce_options"}) {
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
          std::vector<RunInfo> runs = reader.runs();
          for (auto run = runs.rbegin(); run != runs.rend() && found.size() < most_profiles; ++run) {
            if (run->trashed || run->kind != "measured" || reader.traces(run->id).empty()) continue;
            found.push_back({QString::fromStdString(run->id),
                             QStringLiteral("%1 (%2)").arg(QString::fromStdString(run->name), QString::fromStdString(run->model))});
          }
          return found;
        },
        [this](const ProfiledRuns& runs) {
          if (runs == runs_) return;
          runs_ = runs;
          fillProfiles();
        });
  }

 private:
  void fillProfiles() {
    const QString chosen = profile_->currentData().toString();
    profile_->clear();
    profile_->addItem(runs_.empty() ? tr("no profiled run yet") : tr("no run"), QString());
    for (const ProfiledRun& run : runs_) profile_->addItem(run.text, run.id);
    profile_->setCurrentIndex(std::max(0, profile_->findData(chosen)));
    profile_->setEnabled(!runs_.empty());
    profile_->setToolTip(runs_.empty() ? tr("Times need a traced run of this model and batch") : QString());
  }

  void useProfile(const QString& id) {
    profile_problem_.clear();
    const auto examination = parts().validator.latest();
    if (id.isEmpty() || !examination || !examination->experiment) {
      parts().validator.setProfile({});
      return;
    }
    parts().workbench.store().read<std::optional<Profile>>(
        this, QStringLiteral("profile"),
        [id = id.toStdString(), experiment = *examination->experiment](Reader& reader) -> std::optional<Profile> {
          const DataShape found = data_shape(experiment.data);
          const ModelDescription model =
              describe_model(expand_model(experiment.model, found.shape, found.classes), found.shape, found.classes);
          try {
            return traced_profile(reader, reader.run(id), model.slices, experiment);
          } catch (const ConfigError&) {
            return std::nullopt;  // of another model or batch
          }
        },
        [this](const std::optional<Profile>& profile) {
          if (!profile) profile_problem_ = tr("That run is of another model or batch, or was not traced: its layer times say nothing here");
          parts().validator.setProfile(profile);
        });
  }

  QLabel *about_, *note_;
  QComboBox* profile_;
  BucketTable table_;
  QTableView* view_;
  ProfiledRuns runs_;
  QString profile_problem_;
};

}  // namespace

StepPage* make_strategy_step(EditorParts& parts, QWidget* parent) { return new StrategyStep(parts, parent); }

}  // namespace syncline::ui
