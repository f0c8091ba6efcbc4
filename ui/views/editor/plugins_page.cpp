// SPDX-License-Identifier: GPL-3.0-or-later
// Optimizer plugins: found, loaded, refused, crashed, disabled; what each says of itself, and the engine's check of its promises.
#include <QClipboard>
#include <QDesktopServices>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableView>
#include <QTableWidget>
#include <QVBoxLayout>

#include "engine/store/saved.h"
#include "ui/models/editor/plugin_list.h"
#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/models/settings.h"
#include "ui/views/editor/step_pages.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

namespace {

class PluginsPage : public Page {
 public:
  explicit PluginsPage(Workbench& bench) : Page(bench), model_(bench.engine(), bench.settings()) {
    setObjectName(QStringLiteral("plugins"));
    stack_ = new QStackedWidget(this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(stack_);
    stack_->addWidget(makeEmpty());
    stack_->addWidget(makeLists());
    addActions();
    connect(&model_, &PluginList::refreshed, this, [this] { refreshed(); });
    connect(&model_, &PluginList::pluginChanged, this, [this](int row) {
      if (row == current()) showDetails();
    });
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] { showDetails(); });
    refreshed();
    model_.refresh();
  }

  QString title() const override { return tr("Plugins"); }
  QString iconName() const override { return QStringLiteral("preferences-plugin"); }
  bool loaded() const override { return model_.loaded(); }

 private:
  QWidget* makeEmpty() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    empty_ = new QLabel(box);
    empty_->setObjectName(QStringLiteral("plugins.empty"));
    empty_->setWordWrap(true);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addStretch(1);
    column->addWidget(empty_);
    auto* row = new QHBoxLayout;
    row->addStretch(1);
    open_empty_ = new QPushButton(box);
    open_empty_->setObjectName(QStringLiteral("plugins.empty.open"));
    refresh_empty_ = new QPushButton(box);
    refresh_empty_->setObjectName(QStringLiteral("plugins.empty.refresh"));
    row->addWidget(open_empty_);
    row->addWidget(refresh_empty_);
    row->addStretch(1);
    column->addLayout(row);
    column->addStretch(2);
    return box;
  }

  QWidget* makeLists() {
    auto* box = new QWidget(this);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    view_ = new QTableView(box);
    view_->setModel(&model_);
    set_up_table(*view_, QStringLiteral("plugins.table"), tr("Plugins"));
    view_->setFixedWidth(260);
    view_->setFrameShape(QFrame::NoFrame);
    view_->horizontalHeader()->setStretchLastSection(true);
    view_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    view_->setColumnWidth(0, 130);
    row->addWidget(view_);
    auto* area = new QScrollArea(box);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(area);
    auto* column = new QVBoxLayout(content);
    heading_ = new QLabel(content);
    heading_->setObjectName(QStringLiteral("plugins.heading"));
    QFont large = heading_->font();
    large.setBold(true);
    heading_->setFont(large);
    details_ = new QLabel(content);
    details_->setObjectName(QStringLiteral("plugins.details"));
    problem_ = new QLabel(content);
    problem_->setObjectName(QStringLiteral("plugins.problem"));
    used_ = new QLabel(content);
    used_->setObjectName(QStringLiteral("plugins.used"));
    for (QLabel* label : {heading_, problem_, details_, used_}) {
      label->setWordWrap(true);
      label->setTextFormat(Qt::PlainText);
      label->setTextInteractionFlags(Qt::TextSelectableByMouse);
      column->addWidget(label);
    }
    auto* buttons = new QHBoxLayout;
    for (QPushButton** button : {&check_, &disable_, &open_, &copy_}) {
      *button = new QPushButton(content);
      buttons->addWidget(*button);
    }
    buttons->addStretch(1);
    column->addLayout(buttons);
    options_ = table(content, QStringLiteral("plugins.options"), tr("Options"),
                     {tr("Option"), tr("Symbol"), tr("Kind"), tr("Default"), tr("Range"), tr("Meaning")});
    column->addWidget(options_, 2);
    checks_ = table(content, QStringLiteral("plugins.checks"), tr("Results of the check"), {tr("Check"), tr("Result"), tr("Meaning")});
    column->addWidget(checks_, 1);
    column->addStretch(0);
    area->setWidget(content);
    row->addWidget(area, 1);
    return box;
  }

  QTableWidget* table(QWidget* parent, const QString& name, const QString& accessible, const QStringList& headers) {
    auto* made = new QTableWidget(0, static_cast<int>(headers.size()), parent);
    set_up_table(*made, name, accessible);
    made->setHorizontalHeaderLabels(headers);
    made->horizontalHeader()->setStretchLastSection(true);
    made->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    made->setEditTriggers(QAbstractItemView::NoEditTriggers);
    return made;
  }

  void addActions() {
    ActionRegistry& actions = workbench().actions();
    const auto add = [&](const char* id, const QString& text, const QString& help, const QList<QKeySequence>& keys, const char* icon,
                         const std::function<void()>& act) {
      QAction* action = actions.add(this, {QString::fromLatin1(id), text, help, keys, QString::fromLatin1(icon)}, act);
      if (const QIcon drawn = themed_icon(QString::fromLatin1(icon)); !drawn.isNull()) action->setIcon(drawn);
      return action;
    };
    check_action_ = add("plugins.check", tr("Chec&k"), tr("Test in a process of its own whether the plugin keeps the interface's promises"),
                        {}, "dialog-ok", [this] { model_.check(current()); });
    disable_action_ = add("plugins.disable", tr("&Disable"), tr("Offer this plugin no longer, or again"), {}, "process-stop", [this] {
      const int row = current();
      if (row >= 0) model_.setDisabled(row, model_.plugin(row).state != Plugin::disabled);
    });
    QAction* open =
        add("plugins.open-folder", tr("&Open Folder"), tr("Show the folder of the plugin"), {}, "folder-open", [this] { openFolder(); });
    QAction* copy = add("plugins.copy", tr("Cop&y Details"), tr("Copy what is known of this plugin"), {}, "edit-copy", [this] {
      QGuiApplication::clipboard()->setText(QStringList{heading_->text(), problem_->text(), details_->text()}.join(u'\n'));
    });
    QAction* refresh = add("plugins.refresh", tr("&Look Again"), tr("Look for plugins again"), {QKeySequence(Qt::Key_F5)}, "view-refresh",
                           [this] { model_.refresh(); });
    bind(check_, check_action_, "plugins.button.check");
    bind(disable_, disable_action_, "plugins.button.disable");
    bind(open_, open, "plugins.button.open");
    bind(copy_, copy, "plugins.button.copy");
    bind(open_empty_, open, "plugins.empty.open");
    bind(refresh_empty_, refresh, "plugins.empty.refresh");
  }

  static void bind(QPushButton* button, QAction* action, const char* name) {
    button->setObjectName(QString::fromLatin1(name));
    const auto follow = [button, action] {
      button->setText(action->text());
      button->setIcon(action->icon());
      button->setToolTip(action->toolTip());
      button->setEnabled(action->isEnabled());
    };
    follow();
    connect(action, &QAction::changed, button, follow);
    connect(button, &QPushButton::clicked, action, &QAction::trigger);
  }

  int current() const { return view_->currentIndex().isValid() ? view_->currentIndex().row() : -1; }

  void openFolder() {
    QString folder = model_.folders().isEmpty() ? QString() : model_.folders().constLast();
    if (current() >= 0) folder = QFileInfo(model_.plugin(current()).file).absolutePath();
    for (const QString& each : model_.folders()) {
      if (current() < 0 && QFileInfo(each).isDir()) folder = each;
    }
    if (folder.isEmpty()) return;
    if (!QFileInfo(folder).isDir()) {
      workbench().notice(tr("%1 is not there yet; make it and put plugins into it").arg(folder));
      return;
    }
    QDesktopServices::openUrl(QUrl::fromLocalFile(folder));
  }

  void refreshed() {
    const bool any = model_.rowCount() > 0;
    stack_->setCurrentIndex(any ? 1 : 0);
    open_empty_->setVisible(model_.loaded() && model_.problem().isEmpty());
    if (!model_.loaded())
      empty_->setText(tr("Asking the engine for plugins…"));
    else if (!model_.problem().isEmpty())
      empty_->setText(tr("Plugins cannot be listed: %1.").arg(model_.problem()));
    else
      empty_->setText(tr("No plugins found. An optimizer plugin is one file; it is looked for in these folders:\n%1")
                          .arg(model_.folders().join(u'\n')));
    if (any) {
      for (int row = 0; row < model_.rowCount(); ++row) {
        if (model_.plugin(row).file == shown_) view_->selectRow(row);
      }
      if (current() < 0) view_->selectRow(0);
    }
    showDetails();
    Q_EMIT loadedChanged();
  }

  void showDetails() {
    const int row = current();
    const QString none = row < 0 ? tr("Check: select a plugin") : model_.checking(row) ? tr("The plugin is being checked") : QString();
    ActionRegistry::setReason(check_action_, none);
    ActionRegistry::setReason(disable_action_, row < 0 ? tr("Disable: select a plugin") : QString());
    if (row < 0) return;
    const Plugin& plugin = model_.plugin(row);
    shown_ = plugin.file;
    disable_action_->setText(plugin.state == Plugin::disabled ? tr("&Enable") : tr("&Disable"));
    heading_->setText(tr("%1 (optimizer): %2").arg(plugin.name, PluginList::stateText(plugin.state)));
    problem_->setVisible(!plugin.problem.isEmpty());
    problem_->setText(plugin.problem);
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, palette::status(palette::Status::bad, palette::isDark(colours)));
    problem_->setPalette(colours);
    QStringList lines;
    if (!plugin.title.isEmpty()) lines << plugin.title + (plugin.summary.isEmpty() ? QString() : QStringLiteral(": ") + plugin.summary);
    if (!plugin.abi.isEmpty())
      lines << tr("version %1 · interface %2 (this engine: %3) · %4")
                   .arg(plugin.version.isEmpty() ? format::missing : plugin.version, plugin.abi, model_.engineAbi(), plugin.license);
    if (!plugin.paper.isEmpty()) lines << plugin.paper;
    lines << tr("file %1").arg(plugin.file);
    if (!plugin.hash.isEmpty()) lines << tr("hash %1").arg(plugin.hash);
    details_->setText(lines.join(u'\n'));
    options_->setVisible(!plugin.options.empty());
    options_->setRowCount(static_cast<int>(plugin.options.size()));
    for (std::size_t i = 0; i < plugin.options.size(); ++i) {
      const PluginOption& option = plugin.options[i];
      fill(*options_, static_cast<int>(i), {option.key, option.symbol, option.kind, option.initial, option.range, option.help});
    }
    const int widths[] = {140, 62, 62, 76, 92};
    for (int i = 0; i < 5; ++i) options_->setColumnWidth(i, widths[i]);
    fit_height(*options_, 12);
    checks_->setVisible(plugin.checked && !plugin.checks.empty());
    checks_->setRowCount(static_cast<int>(plugin.checks.size()));
    for (std::size_t i = 0; i < plugin.checks.size(); ++i) {
      const PluginCheck& check = plugin.checks[i];
      fill(*checks_, static_cast<int>(i),
           {check.name, check.ok ? tr("✓ holds") : tr("✕ does not hold"), check.ok ? check.text : check.reason});
    }
    checks_->setColumnWidth(0, 110);
    checks_->setColumnWidth(1, 120);
    fit_height(*checks_, 14);
    readUse(plugin.name);
  }

  static void fill(QTableWidget& table, int row, const QStringList& texts) {
    for (int column = 0; column < texts.size(); ++column) {
      auto* item = new QTableWidgetItem(texts[column]);
      item->setToolTip(texts[column]);
      table.setItem(row, column, item);
    }
  }

  // Runs and drafts whose text names the plugin.
  void readUse(const QString& name) {
    struct Use {
      int runs = 0, drafts = 0;
    };
    workbench().store().read<Use>(
        this, QStringLiteral("plugin use"),
        [mark = "\"plugin:" + name.toStdString() + "\""](Reader& reader) {
          Use use;
          for (const RunInfo& run : reader.runs()) use.runs += run.experiment.find(mark) != std::string::npos ? 1 : 0;
          for (const SavedText& draft : saved_texts(reader.database(), "draft"))
            use.drafts += draft.content.find(mark) != std::string::npos ? 1 : 0;
          return use;
        },
        [this](const Use& use) {
          used_->setText(tr("Used by %1 and %2")
                             .arg(format::counted(use.runs, tr("%1 run"), tr("%1 runs")),
                                  format::counted(use.drafts, tr("%1 draft"), tr("%1 drafts"))));
        });
  }

  PluginList model_;
  QStackedWidget* stack_ = nullptr;
  QTableView* view_ = nullptr;
  QLabel *empty_ = nullptr, *heading_ = nullptr, *details_ = nullptr, *problem_ = nullptr, *used_ = nullptr;
  QPushButton *open_empty_ = nullptr, *refresh_empty_ = nullptr;
  QPushButton *check_ = nullptr, *disable_ = nullptr, *open_ = nullptr, *copy_ = nullptr;
  QTableWidget *options_ = nullptr, *checks_ = nullptr;
  QAction *check_action_ = nullptr, *disable_action_ = nullptr;
  QString shown_;
};

}  // namespace

Page* make_plugins_page(Workbench& workbench) { return new PluginsPage(workbench); }

}  // namespace syncline::ui
