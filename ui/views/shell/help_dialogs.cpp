// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/help_dialogs.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QSet>
#include <QSysInfo>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/version.h"
#include "ui/models/problems.h"
#include "ui/views/shell/page_actions.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/icons.h"

namespace syncline::ui {

namespace {

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(HelpDialogs)
};

QDialog* make_dialog(const QString& name, const QString& title, QWidget* parent) {
  auto* dialog = new QDialog(parent);
  dialog->setObjectName(name);
  dialog->setWindowTitle(title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  new QVBoxLayout(dialog);
  return dialog;
}

QDialogButtonBox* add_close(QDialog* dialog) {
  auto* buttons = new QDialogButtonBox(dialog);
  QPushButton* close = buttons->addButton(Texts::tr("&Close"), QDialogButtonBox::RejectRole);
  close->setObjectName(dialog->objectName() + QStringLiteral(".close"));
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  dialog->layout()->addWidget(buttons);
  return buttons;
}

QString plain(QString text) {
  text = text.section(u'\t', 0, 0);
  return text.remove(u'&');
}

}  // namespace

QDialog* make_keyboard_overview(ActionRegistry& registry, PageActions& pages, QWidget* focus, QWidget* parent) {
  QDialog* dialog = make_dialog(QStringLiteral("keyboard-overview"), Texts::tr("Keyboard Overview"), parent);
  auto* tree = new QTreeWidget(dialog);
  tree->setObjectName(QStringLiteral("keyboard-overview.list"));
  tree->setAccessibleName(Texts::tr("Keys and what they do"));
  tree->setHeaderLabels({Texts::tr("Action"), Texts::tr("Keys"), Texts::tr("What it does")});
  tree->setRootIsDecorated(false);
  tree->setUniformRowHeights(true);
  auto* here = new QTreeWidgetItem(tree, {Texts::tr("Where the focus was")});
  auto* everywhere = new QTreeWidgetItem(tree, {Texts::tr("Everywhere")});
  QFont bold = tree->font();
  bold.setBold(true);
  for (QTreeWidgetItem* section : {here, everywhere}) {
    section->setFont(0, bold);
    section->setFlags(Qt::ItemIsEnabled);
    section->setFirstColumnSpanned(true);
  }
  const auto row = [](QTreeWidgetItem* section, const QString& text, const QString& keys, const QString& help) {
    if (!keys.isEmpty()) new QTreeWidgetItem(section, {text, keys, help});
  };
  QSet<QString> seen;
  for (const QAction* action : registry.all()) {
    const QString id = ActionRegistry::idOf(action);
    const auto* owner = qobject_cast<const QWidget*>(action->parent());
    if (owner != nullptr && (focus == nullptr || (owner != focus && !owner->isAncestorOf(focus)))) continue;
    if (seen.contains(id)) continue;
    seen.insert(id);
    QStringList keys;
    for (const QKeySequence& one : action->shortcuts()) keys << one.toString(QKeySequence::NativeText);
    row(owner != nullptr ? here : everywhere, plain(action->text()), keys.join(QStringLiteral(", ")), action->whatsThis());
  }
  for (const QAction* entry : pages.entries()) {
    const QString id = entry->objectName().section(u'.', 1);
    if (!seen.contains(id)) row(everywhere, plain(entry->text()), entry->shortcut().toString(QKeySequence::NativeText), entry->whatsThis());
  }
  row(everywhere, Texts::tr("Next field, previous field"), Texts::tr("Tab, Shift+Tab"), Texts::tr("Moves the focus in reading order."));
  row(everywhere, Texts::tr("Move an open page"), Texts::tr("Ctrl+Shift+Up, Ctrl+Shift+Down"), Texts::tr("In the navigation at the left."));
  if (here->childCount() == 0) delete here;
  tree->expandAll();
  tree->header()->resizeSection(0, 240);
  tree->header()->resizeSection(1, 170);
  dialog->layout()->addWidget(tree);
  add_close(dialog);
  dialog->resize(820, 560);
  return dialog;
}

QDialog* make_about(QWidget* parent) {
  QDialog* dialog = make_dialog(QStringLiteral("about"), Texts::tr("About Syncline"), parent);
  auto* picture = new QLabel(dialog);
  picture->setPixmap(QApplication::windowIcon().pixmap(64));
  auto* text = new QLabel(dialog);
  text->setObjectName(QStringLiteral("about.text"));
  text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text->setWordWrap(true);
  text->setText(
      Texts::tr("<h3>Syncline %1</h3>"
                "<p>A workbench for distributed deep-learning training: what every step spends on computing, on communication hidden "
                "behind computing, and on communication that nothing hides.</p>"
                "<p>The window is free software under the GNU General Public License, version 3 or later; the engine is under the "
                "Apache License 2.0. Both come without any warranty.</p>"
                "<p>Built with Qt %2, QCustomPlot, SQLite, toml++ and fmt.</p>")
          .arg(QString::fromLatin1(app::version), QString::fromLatin1(qVersion())));
  auto* row = new QHBoxLayout;
  row->addWidget(picture, 0, Qt::AlignTop);
  row->addSpacing(10);
  row->addWidget(text, 1);
  static_cast<QVBoxLayout*>(dialog->layout())->addLayout(row);
  add_close(dialog);
  dialog->resize(520, 280);
  return dialog;
}

QString report_text(const Problems& problems, const QString& workspace, const QString& engine) {
  QString text;
  const auto line = [&text](const QString& name, const QString& value) { text += QString(name + QStringLiteral(": ") + value + u'\n'); };
  line(QStringLiteral("Syncline"), QString::fromLatin1(app::version));
  line(QStringLiteral("Qt"), QString::fromLatin1(qVersion()));
  line(QStringLiteral("System"), QSysInfo::prettyProductName() + QStringLiteral(", ") + QSysInfo::currentCpuArchitecture());
  line(QStringLiteral("Platform"), QGuiApplication::platformName());
  if (const QScreen* screen = QGuiApplication::primaryScreen()) {
    line(QStringLiteral("Screen"), QStringLiteral("%1 x %2 at %3")
                                       .arg(screen->size().width())
                                       .arg(screen->size().height())
                                       .arg(QString::number(screen->devicePixelRatio())));
  }
  line(QStringLiteral("Workspace"), workspace);
  line(QStringLiteral("Engine"), engine);
  text += QStringLiteral("\nWhat happened:\n\n\nWhat should have happened:\n\n\nProblems of this session:\n");
  const QString listed = problems.asText();
  return text + (listed.isEmpty() ? QStringLiteral("none\n") : listed);
}

QDialog* make_text_dialog(const QString& name, const QString& title, const QString& explanation, const QString& text, QWidget* parent) {
  QDialog* dialog = make_dialog(name, title, parent);
  auto* label = new QLabel(explanation, dialog);
  label->setWordWrap(true);
  dialog->layout()->addWidget(label);
  auto* edit = new QPlainTextEdit(text, dialog);
  edit->setObjectName(name + QStringLiteral(".text"));
  edit->setAccessibleName(title);
  edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  edit->setTabChangesFocus(true);
  dialog->layout()->addWidget(edit);
  QDialogButtonBox* buttons = add_close(dialog);
  QPushButton* copy = buttons->addButton(Texts::tr("Co&py"), QDialogButtonBox::ActionRole);
  copy->setObjectName(name + QStringLiteral(".copy"));
  QObject::connect(copy, &QPushButton::clicked, edit, [edit] { QGuiApplication::clipboard()->setText(edit->toPlainText()); });
  dialog->resize(640, 420);
  return dialog;
}

}  // namespace syncline::ui
