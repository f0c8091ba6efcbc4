// SPDX-License-Identifier: GPL-3.0-or-later
// What the Compare page reads and writes.
#include "ui/dialogs/choose_runs_dialog.h"
#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/models/runs_columns.h"
#include "ui/models/runs_rows.h"
#include "ui/views/compare/compare_page.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/tall_rows.h"

namespace syncline::ui {

namespace {

constexpr int id_role = Qt::UserRole;

// A swatch with a frame, which tells it from the colour of a selected row.
QIcon framed(const QColor& fill, const QColor& frame) {
  constexpr int size = 10, sharp = 2;
  QPixmap pixmap(sharp * size, sharp * size);
  pixmap.setDevicePixelRatio(sharp);
  pixmap.fill(frame);
  QPainter(&pixmap).fillRect(QRectF(1, 1, size - 2, size - 2), fill);
  QIcon icon;
  for (const QIcon::Mode mode : {QIcon::Normal, QIcon::Selected}) icon.addPixmap(pixmap, mode);
  return icon;
}

bool same_runs(const ComparisonData& a, const ComparisonData& b) {
  const auto same = [](const ComparedRun& one, const ComparedRun& other) { return one.info == other.info; };
  return a.missing == b.missing && std::equal(a.runs.begin(), a.runs.end(), b.runs.begin(), b.runs.end(), same);
}

}  // namespace

void ComparePage::readSaved() {
  using Found = std::optional<SavedText>;
  workbench().store().read<Found>(
      this, QStringLiteral("saved"), [id = saved_.id](Reader& reader) { return saved_text(reader.database(), id); },
      [this](const Found& found) {
        if (!found) {
          too_few_text_->setText(tr("This comparison is no longer in the workspace."));
          saved_.id.clear();
        } else {
          saved_ = *found;
          const QStringList more = choice_.runs;
          choice_ = kept_ = comparison_choice(saved_.content);
          for (const QString& id : more) {
            if (!choice_.runs.contains(id)) choice_.runs << id;
          }
          const QSignalBlocker aggregate(aggregate_), align(align_), notes(notes_);
          aggregate_->setChecked(choice_.aggregate);
          align_->setChecked(choice_.align);
          group_->setAlignStarts(choice_.align);
          if (choice_.half_life > 0) group_->setHalfLife(choice_.half_life);
          notes_->setPlainText(choice_.notes);
          Q_EMIT titleChanged();
        }
        read();
      });
}

void ComparePage::read() {
  reading_ = true;
  workbench().store().read<ComparisonData>(
      this, QStringLiteral("runs"), [ids = choice_.runs](Reader& reader) { return read_comparison(reader, ids); },
      [this](const ComparisonData& fetched) {
        reading_ = false;
        const bool first = data_ == nullptr;
        if (!first && same_runs(*data_, fetched)) return;  // tables keep their selection and place
        data_ = std::make_shared<const ComparisonData>(fetched);
        fillList();
        if (first && !items_.empty()) {
          // A step is not the same thing for different strategies; samples are.
          if (const auto axis = x_axis_named(choice_.axis.toStdString())) {
            group_->setXAxis(*axis);
          } else if (steps_differ(items_)) {
            group_->setXAxis(XAxis::samples);
          }
        }
        Q_EMIT titleChanged();
        Q_EMIT loadedChanged();
      },
      [this](const QString& sentence) {
        reading_ = false;
        too_few_text_->setText(sentence);
      });
}

void ComparePage::fillList() {
  if (!data_) return;
  items_ = compared_items(*data_, choice_.aggregate);
  if (choice_.by_difference) name_by_difference(items_);
  by_difference_->setChecked(choice_.by_difference);
  if (item(choice_.baseline) == nullptr) choice_.baseline = items_.empty() ? QString() : items_.front().id;
  filling_ = true;
  const QString current = list_->currentItem() != nullptr ? list_->currentItem()->data(id_role).toString() : QString();
  list_->clear();
  const bool dark = palette::isDark(palette());
  for (const ComparedItem& one : items_) {
    const bool is_baseline = one.id == choice_.baseline;
    QString text = (is_baseline ? QStringLiteral("\u2605 ") : QString()) + one.name;
    if (one.runs.size() > 1) text += QStringLiteral("   ") + seeds_text(one.infos());
    auto* made = new QListWidgetItem(text, list_);
    made->setData(id_role, one.id);
    made->setCheckState(choice_.hidden.contains(one.id) ? Qt::Unchecked : Qt::Checked);
    made->setIcon(framed(one.colour.isValid() ? one.colour : palette::curve(one.palette, dark).colour, palette().color(QPalette::Base)));
    made->setToolTip(one.note.isEmpty() ? one.name : tr("%1: %2").arg(format::isolated(one.name), one.note));
    made->setData(Qt::AccessibleTextRole, is_baseline ? tr("%1, baseline").arg(format::isolated(one.name)) : one.name);
    if (one.id == current) list_->setCurrentItem(made);
  }
  for (const QString& id : data_->missing) {
    auto* made = new QListWidgetItem(tr("missing: \u2026%1").arg(id.right(12)), list_);
    made->setFlags(Qt::ItemIsSelectable | Qt::ItemIsEnabled);
    made->setData(id_role, QString());
    made->setData(id_role + 1, id);
    made->setToolTip(tr("The run %1 is not in this workspace.").arg(id));
    made->setForeground(palette::status(palette::Status::attention, dark));
  }
  // As wide as the list: longer names are elided there, and their ends are not pushed out of sight.
  const QSize row(0, std::max(least_row_height, list_->fontMetrics().height() + 6));
  for (int i = 0; i < list_->count(); ++i) list_->item(i)->setSizeHint(row);
  if (list_->currentItem() == nullptr && list_->count() > 0) list_->setCurrentRow(0);
  filling_ = false;
  compare();
}

void ComparePage::compare() {
  auto comparison = std::make_shared<Comparison>();
  comparison->data = data_;
  for (const ComparedItem& one : items_) {
    if (!choice_.hidden.contains(one.id)) comparison->items.push_back(one);
  }
  for (const ComparedItem& one : comparison->items) {
    if (one.id == choice_.baseline) comparison->baseline = &one;
  }
  const ComparedItem* baseline = item(choice_.baseline);
  baseline_->setText(baseline == nullptr ? QString() : tr("baseline: \u2605 %1").arg(baseline->name));
  updateWarnings(comparison->items);
  if (data_->runs.size() + static_cast<std::size_t>(data_->missing.size()) < 2) {
    too_few_text_->setText(items_.empty() ? tr("Add two runs to compare.") : tr("Add a second run to compare."));
    previous_->setVisible(!items_.empty());
    content_->setCurrentWidget(too_few_);
  } else {
    content_->setCurrentWidget(tabs_);
  }
  const std::shared_ptr<const Comparison> shown = comparison;
  for (CompareTab* part : parts_) part->show(shown);
}

void ComparePage::updateWarnings(const std::vector<ComparedItem>& shown) {
  const QStringList warnings = comparison_warnings(shown, group_->xAxis());
  warning_->setVisible(!warnings.isEmpty());
  const QString text = QStringLiteral("\u26a0 ") + warnings.join(QStringLiteral("; ")) + u'.';
  warning_->setText(text);
}

void ComparePage::setBaseline() {
  if (list_->currentItem() == nullptr) return;
  const QString id = list_->currentItem()->data(id_role).toString();
  if (item(id) == nullptr) return;
  choice_.baseline = id;
  choice_.hidden.removeAll(id);
  fillList();
  changed();
}

void ComparePage::removeSelected() {
  QListWidgetItem* current = list_->currentItem();
  if (current == nullptr) return;
  QStringList gone = {current->data(id_role + 1).toString()};
  if (const ComparedItem* one = item(current->data(id_role).toString())) gone = one->runIds();
  for (const QString& id : gone) choice_.runs.removeAll(id);
  changed();
  read();
}

void ComparePage::save(bool as_new) {
  SavedText text = saved_;
  if (as_new || text.id.empty()) {
    bool given = false;
    const QString name =
        QInputDialog::getText(this, tr("Save Comparison"), tr("&Name of the comparison:"), QLineEdit::Normal, title(), &given);
    if (!given || name.trimmed().isEmpty()) return;
    text.id = make_run_id();
    text.name = name.trimmed().toStdString();
  }
  text.kind = "comparison";
  choice_.half_life = group_->halfLife();
  const ComparisonChoice choice = choice_;
  text.content = to_text(choice);
  workbench().store().write(
      this, [text](StoreService::Writer& writer) { SavedTexts(writer.workspace).put(text); },
      [this, text, choice] {
        saved_ = text;
        kept_ = choice;
        Q_EMIT titleChanged();
      },
      [this](const QString& sentence) { workbench().notice(sentence, {}, {}, 60); });
}

void ComparePage::exportTable() {
  if (!data_) return;
  const QString path =
      FileDialog::saveFile(this, tr("Export Table"), QStringLiteral("comparison.csv"), tr("Comma-separated values (*.csv)"));
  if (path.isEmpty()) return;
  QSaveFile file(path);
  const QByteArray csv = comparison_csv(items_, item(choice_.baseline));
  const bool written = file.open(QIODevice::WriteOnly) && file.write(csv) == csv.size() && file.commit();
  workbench().notice(written ? tr("Wrote %1.").arg(path) : tr("%1 cannot be written: %2").arg(path, file.errorString()), {}, {},
                     written ? 8 : 60);
}

void ComparePage::addPrevious() {
  if (choice_.runs.isEmpty()) return;
  workbench().store().read<RunsSnapshotPtr>(
      this, QStringLiteral("previous"), [](Reader& reader) { return read_runs(reader, nullptr); },
      [this](const RunsSnapshotPtr& snapshot) {  // newest first
        bool found = false;
        for (const RunRowPtr& row : snapshot->rows) {
          if (found && !choice_.runs.contains(row->newest())) return add({row->newest()});
          found = found || row->attemptIds().contains(choice_.runs.front());
        }
        workbench().notice(found ? tr("No run was made before this one.") : tr("This run is not in the workspace any more."), {}, {}, 8);
      });
}

void ComparePage::pickRuns() {
  auto* dialog = new ChooseRunsDialog(workbench().store(), QStringLiteral("compare.pick"), tr("Add Runs"), tr("&Add"), choice_.runs, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] { add(dialog->chosen()); });
  dialog->open();
}

}  // namespace syncline::ui
