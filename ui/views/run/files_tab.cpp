// SPDX-License-Identifier: GPL-3.0-or-later
// What a run left on disk: checkpoints, traces, its log and experiment.
#include <QDesktopServices>
#include <QDir>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/models/format.h"
#include "ui/models/run_page_state.h"
#include "ui/views/run/run_actions.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {

namespace {

struct RunFile {
  QString path;
  qint64 bytes = 0;
};

QTableWidget* table(QWidget* parent, const char* name, const QString& accessible, const QStringList& headers) {
  auto* made = new QTableWidget(0, static_cast<int>(headers.size()), parent);
  made->setObjectName(QString::fromLatin1(name));
  made->setAccessibleName(accessible);
  made->setHorizontalHeaderLabels(headers);
  made->setEditTriggers(QAbstractItemView::NoEditTriggers);
  made->setSelectionBehavior(QAbstractItemView::SelectRows);
  made->setSelectionMode(QAbstractItemView::SingleSelection);
  made->setAlternatingRowColors(true);
  made->setTabKeyNavigation(false);
  made->verticalHeader()->hide();
  made->horizontalHeader()->setStretchLastSection(true);
  made->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  return made;
}

void put(QTableWidget* table, int row, int column, const QString& text, bool number = false) {
  QTableWidgetItem* item = table->item(row, column);
  if (item == nullptr) {
    item = new QTableWidgetItem;
    table->setItem(row, column, item);
  }
  if (item->text() != text) item->setText(text);
  item->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

}  // namespace

class FilesTab : public RunTab {
  Q_OBJECT

 public:
  FilesTab(RunContext of, QWidget* parent) : RunTab(of, QStringLiteral("run.files"), parent) {
    checkpoints_ =
        table(this, "run.files.checkpoints", tr("Checkpoints"), {tr("Step"), tr("Size"), tr("Verified"), tr("Saved"), tr("Folder")});
    files_ = table(this, "run.files.others", tr("Other files"), {tr("File"), tr("Size")});
    files_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    files_->horizontalHeader()->setStretchLastSection(false);
    traces_ = new QLabel(this);
    traces_->setObjectName(QStringLiteral("run.files.traces"));
    none_ = new QLabel(tr("No checkpoint has been saved yet."), this);
    resume_ = of.workbench.actions().add(this,
                                         {QStringLiteral("run.resume-here"),
                                          tr("Resume from &Here…"),
                                          tr("Go on from the selected checkpoint"),
                                          {},
                                          QStringLiteral("media-playback-start")},
                                         [this] { context().actions->resumeFrom(selectedStep()); });
    auto* resume = new QToolButton(this);
    resume->setDefaultAction(resume_);
    resume->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    resume->setFocusPolicy(Qt::StrongFocus);
    auto* folder = new QToolButton(this);
    folder->setDefaultAction(of.actions->open_folder);
    folder->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    folder->setFocusPolicy(Qt::StrongFocus);
    auto* checkpoints = new QLabel(tr("Check&points"), this);
    auto* others = new QLabel(tr("Fi&les of the run"), this);
    for (QLabel* heading : {checkpoints, others}) {
      QFont bold = heading->font();
      bold.setBold(true);
      heading->setFont(bold);
    }
    checkpoints->setBuddy(checkpoints_);
    others->setBuddy(files_);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(checkpoints);
    buttons->addStretch(1);
    buttons->addWidget(resume);
    buttons->addWidget(folder);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->addLayout(buttons);
    layout->addWidget(none_);
    layout->addWidget(checkpoints_, 2);
    layout->addWidget(others);
    layout->addWidget(traces_);
    layout->addWidget(files_, 2);
    connect(&data(), &RunData::changed, this, &FilesTab::update);
    connect(checkpoints_, &QTableWidget::itemSelectionChanged, this, &FilesTab::updateResume);
    connect(files_, &QTableWidget::cellDoubleClicked, this, [this](int row, int) {
      QDesktopServices::openUrl(QUrl::fromLocalFile(data().folder() + u'/' + files_->item(row, 0)->text()));
    });
    updateResume();
  }

  bool loaded() const override { return data().known() && listed_; }

 protected:
  void showEvent(QShowEvent* event) override {
    RunTab::showEvent(event);
    if (data().known()) update();
  }

 private:
  void update() {
    const RunSnapshot& now = snapshot();
    std::vector<CheckpointRecord> newest_first(now.checkpoints.rbegin(), now.checkpoints.rend());
    const QDir folder(data().folder());
    checkpoints_->setRowCount(static_cast<int>(newest_first.size()));
    steps_.clear();
    for (int row = 0; row < checkpoints_->rowCount(); ++row) {
      const CheckpointRecord& record = newest_first[static_cast<std::size_t>(row)];
      const QString path = QString::fromStdString(record.path);
      const bool there = QDir(folder.filePath(path)).exists();
      steps_.emplace_back(record.step, there);
      put(checkpoints_, row, 0, format::count(record.step), true);
      put(checkpoints_, row, 1, format::bytes(static_cast<double>(record.bytes)), true);
      put(checkpoints_, row, 2, !there ? tr("removed") : record.verified ? tr("✓ verified") : tr("not verified"));
      put(checkpoints_, row, 3, format::moment(record.wall_s, QTimeZone::systemTimeZone()));
      put(checkpoints_, row, 4, path);
    }
    if (checkpoints_->rowCount() > 0 && !sized_) {
      for (int column = 0; column + 1 < checkpoints_->columnCount(); ++column) checkpoints_->resizeColumnToContents(column);
      sized_ = true;
    }
    none_->setVisible(newest_first.empty());
    checkpoints_->setVisible(!newest_first.empty());
    if (checkpoints_->currentRow() < 0 && checkpoints_->rowCount() > 0) checkpoints_->selectRow(0);
    updateResume();
    if (isVisible()) list();
  }

  // From where the selected row goes on; none: the newest.
  std::optional<std::int64_t> selectedStep() const {
    const int row = checkpoints_->currentRow();
    return row <= 0 || row >= static_cast<int>(steps_.size()) ? std::nullopt : std::optional(steps_[static_cast<std::size_t>(row)].first);
  }

  void updateResume() {
    const int row = checkpoints_->currentRow();
    QString reason = context().actions->reasonNotToResume(selectedStep());
    if (reason.isEmpty() && (row < 0 || row >= static_cast<int>(steps_.size()))) reason = tr("Select a checkpoint");
    if (reason.isEmpty() && !steps_[static_cast<std::size_t>(row)].second) reason = tr("This checkpoint has been removed");
    ActionRegistry::setReason(resume_, reason);
  }

  // A folder may lie on a slow disk: looked at by the reader's thread.
  void list() {
    data().store().read<std::pair<std::vector<RunFile>, std::size_t>>(
        this, QStringLiteral("files"),
        [folder = data().folder(), id = data().id().toStdString()](Reader& reader) {
          std::vector<RunFile> files;
          for (const QString& part : {QString(), QStringLiteral("launch"), QStringLiteral("traces")}) {
            const QDir dir(folder + u'/' + part);
            for (const QFileInfo& info : dir.entryInfoList(QDir::Files, QDir::Name)) {
              if (info.suffix() == QStringLiteral("status")) continue;
              files.push_back({part.isEmpty() ? info.fileName() : QString(part + u'/' + info.fileName()), info.size()});
            }
          }
          return std::pair(files, reader.traces(id).size());
        },
        [this](const std::pair<std::vector<RunFile>, std::size_t>& found) {
          const auto& files = found.first;
          files_->setRowCount(static_cast<int>(files.size()));
          for (int row = 0; row < files_->rowCount(); ++row) {
            put(files_, row, 0, files[static_cast<std::size_t>(row)].path);
            put(files_, row, 1, format::bytes(static_cast<double>(files[static_cast<std::size_t>(row)].bytes)), true);
          }
          traces_->setText(found.second == 0
                               ? tr("No step was traced.")
                               : tr("%1 traces (one a rank and traced step) are in the workspace; the Timeline shows and exports them.")
                                     .arg(format::count(static_cast<std::int64_t>(found.second))));
          listed_ = true;
          Q_EMIT loadedChanged();
        });
  }

  QTableWidget *checkpoints_, *files_;
  QLabel *traces_, *none_;
  QAction* resume_;
  std::vector<std::pair<std::int64_t, bool>> steps_;  // of the rows, and whether the checkpoint is still there
  bool listed_ = false, sized_ = false;
};

RunTab* make_files_tab(RunContext context, QWidget* parent) { return new FilesTab(context, parent); }

}  // namespace syncline::ui

#include "files_tab.moc"
