// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDesktopServices>
#include <QDirIterator>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSystemTrayIcon>
#include <QUrl>

#include "engine/store/records.h"
#include "ui/models/background_jobs.h"
#include "ui/models/engine_program.h"
#include "ui/models/format.h"
#include "ui/models/settings.h"
#include "ui/models/trash_keeper.h"
#include "ui/views/shell/preferences.h"
#include "ui/views/shell/shortcut_editor.h"
#include "ui/views/shell/theme.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

namespace {

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(Preferences)
};

QLabel* selectable(const QString& text) {
  auto* label = new QLabel(text);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  label->setWordWrap(true);
  label->setMinimumWidth(320);
  return label;
}

QWidget* side_by_side(const std::vector<QWidget*>& widgets) {
  auto* holder = new QWidget;
  auto* row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  for (QWidget* widget : widgets) row->addWidget(widget, qobject_cast<QLineEdit*>(widget) != nullptr ? 1 : 0);
  if (qobject_cast<QLineEdit*>(widgets.front()) == nullptr) row->addStretch(1);
  return holder;
}

// Bytes of the database with its log and of the folder of runs beside it.
void add_sizes(const QString& database, JobControl& control, double& database_bytes, double& runs_bytes) {
  for (const char* suffix : {"", "-wal", "-shm"}) database_bytes += static_cast<double>(QFileInfo(database + QLatin1String(suffix)).size());
  const QFileInfo file(database);
  QDirIterator files(file.dir().filePath(file.completeBaseName() + QStringLiteral(".runs")), QDir::Files | QDir::Hidden,
                     QDirIterator::Subdirectories);
  while (files.hasNext() && !control.cancelled()) {
    files.next();
    runs_bytes += static_cast<double>(files.fileInfo().size());
  }
}

}  // namespace

PreferencePage* make_general_preferences(Workbench& workbench) {
  auto* page = new PreferencePage(workbench, QStringLiteral("general"), Texts::tr("General"), QStringLiteral("configure"));
  page->addChoice(keys::start_place, Texts::tr("&Start with:"), QStringLiteral("last"),
                  {{QStringLiteral("last"), Texts::tr("what was shown last")},
                   {QStringLiteral("runs"), Texts::tr("Runs")},
                   {QStringLiteral("drafts"), Texts::tr("Drafts")},
                   {QStringLiteral("recipes"), Texts::tr("Recipes")},
                   {QStringLiteral("plugins"), Texts::tr("Plugins")}},
                  Texts::tr("What is shown first at the next start."));
  page->addCheck(keys::restore, Texts::tr("Re&open the pages that were open"), true,
                 Texts::tr("At the next start the open runs, comparisons and drafts come back."));
  return page;
}

PreferencePage* make_plot_preferences(Workbench& workbench) {
  auto* page = new PreferencePage(workbench, QStringLiteral("plots"), Texts::tr("Plots"), QStringLiteral("office-chart-line"));
  std::vector<PreferencePage::Choice> axes;
  const std::pair<XAxis, QString> named[] = {{XAxis::step, Texts::tr("step")},
                                             {XAxis::samples, Texts::tr("samples")},
                                             {XAxis::gradients, Texts::tr("gradient evaluations")},
                                             {XAxis::epoch, Texts::tr("epoch")},
                                             {XAxis::rounds, Texts::tr("communication rounds")},
                                             {XAxis::bytes, Texts::tr("bytes sent per rank")},
                                             {XAxis::active_s, Texts::tr("active time")},
                                             {XAxis::elapsed_s, Texts::tr("elapsed time")},
                                             {XAxis::wall_s, Texts::tr("wall clock")}};
  for (const auto& [axis, text] : named) axes.push_back({QString::fromStdString(std::string(name_of(axis))), text});
  page->addChoice(QStringLiteral("charts/run/x"), Texts::tr("X axis of the &run page:"), QStringLiteral("step"), axes,
                  Texts::tr("Of run pages opened from now on; each page's own choice is remembered here too."));
  page->addChoice(QStringLiteral("charts/compare/x"), Texts::tr("X axis of &comparisons:"), QStringLiteral("step"), axes,
                  Texts::tr("Of comparisons opened from now on whose runs count steps alike; others start with samples."));
  return page;
}

PreferencePage* make_number_preferences(Workbench& workbench) {
  auto* page =
      new PreferencePage(workbench, QStringLiteral("numbers"), Texts::tr("Numbers and Time"), QStringLiteral("document-open-recent"));
  page->addChoice(keys::zone, Texts::tr("&Time zone:"), QStringLiteral("local"),
                  {{QStringLiteral("local"), Texts::tr("this computer's")}, {QStringLiteral("utc"), Texts::tr("UTC")}},
                  Texts::tr("Of every time of day shown; files always carry UTC."));
  page->addChoice(keys::decimals, Texts::tr("&Decimal sign:"), QStringLiteral("system"),
                  {{QStringLiteral("system"), Texts::tr("as the system has it")},
                   {QStringLiteral("point"), Texts::tr("point (0.5)")},
                   {QStringLiteral("comma"), Texts::tr("comma (0,5)")}},
                  Texts::tr("On the screen; files and the clipboard always carry points."));
  return page;
}

PreferencePage* make_appearance_preferences(Workbench& workbench) {
  auto* page =
      new PreferencePage(workbench, QStringLiteral("appearance"), Texts::tr("Appearance"), QStringLiteral("preferences-desktop-theme"));
  page->addChoice(keys::theme, Texts::tr("&Theme:"), QStringLiteral("system"),
                  {{QStringLiteral("system"), Texts::tr("as the system has it")},
                   {QStringLiteral("light"), Texts::tr("light")},
                   {QStringLiteral("dark"), Texts::tr("dark")}},
                  Texts::tr("Colours of the window, of icons and of charts."));
  page->addNumber(keys::text_size, Texts::tr("Text &size:"), 100, 80, 200, 10, Texts::tr(" %"), Texts::tr("Of the system's font."));
  return page;
}

PreferencePage* make_storage_preferences(Workbench& workbench) {
  auto* page = new PreferencePage(workbench, QStringLiteral("storage"), Texts::tr("Storage"), QStringLiteral("folder"));
  const QString path = workbench.store().path();
  page->addRow(Texts::tr("Workspace:"), selectable(path));
  QLabel* used = selectable(Texts::tr("being counted"));
  used->setObjectName(QStringLiteral("preferences.storage.used"));
  page->addRow(Texts::tr("Space used:"), used);
  page->addNumber(
      TrashKeeper::days_setting, Texts::tr("Days in the t&rash:"), TrashKeeper::default_days, 0, 365, 1, QString(),
      Texts::tr("Then runs are named in a message and deleted for good at a later start; 0: they stay until the trash is emptied."));
  auto sizes = std::make_shared<std::pair<double, double>>();
  workbench.jobs().start(
      page, Texts::tr("Counting the workspace's files"),
      [path, sizes](JobControl& control) { add_sizes(path, control, sizes->first, sizes->second); },
      [used, sizes](const QString& error) {
        used->setText(error.isEmpty()
                          ? Texts::tr("%1 database, %2 files of runs").arg(format::bytes(sizes->first), format::bytes(sizes->second))
                          : error);
      });
  auto* folder = new QPushButton(Texts::tr("&Open Folder"));
  folder->setObjectName(QStringLiteral("preferences.storage.folder"));
  QObject::connect(folder, &QPushButton::clicked, page,
                   [path] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(path).absolutePath())); });
  std::vector<QWidget*> buttons{folder};
  if (QAction* verify = workbench.actions().find(QStringLiteral("workspace.verify"))) {
    auto* button = new QPushButton(Texts::tr("&Verify Workspace"));
    button->setObjectName(QStringLiteral("preferences.storage.verify"));
    QObject::connect(button, &QPushButton::clicked, verify, &QAction::trigger);
    buttons.push_back(button);
  }
  page->addRow({}, side_by_side(buttons));
  return page;
}

PreferencePage* make_notification_preferences(Workbench& workbench) {
  auto* page =
      new PreferencePage(workbench, QStringLiteral("notifications"), Texts::tr("Notifications"), QStringLiteral("dialog-information"));
  page->addCheck(keys::notify_finished, Texts::tr("A run has &finished or was stopped"), false,
                 Texts::tr("Shown by the desktop, without a sound."));
  page->addCheck(keys::notify_failed, Texts::tr("A run has f&ailed or was lost"), false,
                 Texts::tr("Shown by the desktop, without a sound."));
  if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) {
    page->addNote(Texts::tr("This desktop offers no notifications at the moment; runs that end are shown inside the window."));
  }
  return page;
}

PreferencePage* make_shortcut_preferences(Workbench& workbench) {
  auto* page =
      new PreferencePage(workbench, QStringLiteral("shortcuts"), Texts::tr("Shortcuts"), QStringLiteral("preferences-desktop-keyboard"));
  page->addCheck(keys::single_letters, Texts::tr("Single &letters act in tables, charts and timelines"), true,
                 Texts::tr("Off: letters search in tables; better for speech input."));
  auto* editor = new ShortcutEditor(workbench.actions(), workbench.settings());
  page->addWide(editor);
  page->alsoRestores([editor] { editor->restoreDefaults(); });
  return page;
}

PreferencePage* make_advanced_preferences(Workbench& workbench) {
  auto* page = new PreferencePage(workbench, QStringLiteral("advanced"), Texts::tr("Advanced"), QStringLiteral("preferences-system"));
  EngineProgram& engine = workbench.engine();
  Settings& settings = workbench.settings();
  auto* path = new QLineEdit;
  path->setObjectName(QStringLiteral("preferences.engine.path"));
  path->setAccessibleName(Texts::tr("Engine"));
  path->setPlaceholderText(Texts::tr("found beside this program or in PATH"));
  path->setMinimumWidth(260);
  path->setText(settings.value(keys::engine).toString());
  const auto set = [&settings](const QString& text) { text.isEmpty() ? settings.remove(keys::engine) : settings.set(keys::engine, text); };
  QObject::connect(path, &QLineEdit::editingFinished, page, [path, set] { set(path->text().trimmed()); });
  auto* choose = new QPushButton(Texts::tr("C&hoose…"));
  choose->setObjectName(QStringLiteral("preferences.engine.choose"));
  QObject::connect(choose, &QPushButton::clicked, page, [page, path, set] {
    const QString chosen = FileDialog::openFile(page, Texts::tr("Choose syncline-engine"), path->text());
    if (chosen.isEmpty()) return;
    path->setText(chosen);
    set(chosen);
  });
  auto* test = new QPushButton(Texts::tr("&Test"));
  test->setObjectName(QStringLiteral("preferences.engine.test"));
  test->setToolTip(Texts::tr("Ask the engine for its version."));
  page->addRow(Texts::tr("&Engine:"), side_by_side({path, choose, test}));
  QLabel* answer = selectable({});
  answer->setObjectName(QStringLiteral("preferences.engine.answer"));
  page->addRow({}, answer);
  const auto show = [&engine, answer] {
    if (!engine.known()) {
      answer->setText(Texts::tr("being asked"));
    } else if (const QString problem = engine.problem(); !problem.isEmpty()) {
      answer->setText(problem);
    } else {
      answer->setText(Texts::tr("%1 answers: version %2").arg(engine.path(), engine.version().value_or(QString())));
    }
  };
  show();
  QObject::connect(&engine, &EngineProgram::changed, answer, show);
  QObject::connect(test, &QPushButton::clicked, page, [&engine, answer] {
    answer->setText(Texts::tr("being asked"));
    engine.lookAgain();
  });
  page->alsoRestores([path, &settings] {
    path->clear();
    settings.remove(keys::engine);
  });
  page->addRow(Texts::tr("Settings file:"), selectable(QSettings().fileName()));
  return page;
}

}  // namespace syncline::ui
