// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/label_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QCoreApplication>
#include <QLabel>
#include <QTextDocument>
#include <QTextDocumentFragment>

namespace syncline::ui {

namespace {

QString spoken(const QLabel& label) {
  const bool rich = label.textFormat() == Qt::RichText || (label.textFormat() == Qt::AutoText && Qt::mightBeRichText(label.text()));
  QString text = rich ? QTextDocumentFragment::fromHtml(label.text()).toPlainText() : label.text();
  if (label.buddy() != nullptr) text.remove(u'&');
  return text;
}

class AccessibleLabel : public QAccessibleWidget {
 public:
  explicit AccessibleLabel(QLabel* label) : QAccessibleWidget(label, QAccessible::StaticText), label_(*label) {}

  QString text(QAccessible::Text kind) const override {
    if (kind != QAccessible::Name && kind != QAccessible::Value) return QAccessibleWidget::text(kind);
    const QString text = spoken(label_), name = label_.accessibleName();
    if (kind == QAccessible::Value || name.isEmpty()) return text;
    return text.isEmpty() || name.contains(text) ? name : QCoreApplication::translate("Label", "%1: %2").arg(name, text);
  }

  // As Qt's own label: it names what it stands before.
  QList<std::pair<QAccessibleInterface*, QAccessible::Relation>> relations(QAccessible::Relation match) const override {
    auto all = QAccessibleWidget::relations(match);
    if ((match & QAccessible::Labelled) && label_.buddy() != nullptr)
      all.emplace_back(QAccessible::queryAccessibleInterface(label_.buddy()), QAccessible::Labelled);
    return all;
  }

 private:
  QLabel& label_;
};

QAccessibleInterface* make_interface(const QString& class_name, QObject* object) {
  if (class_name != QStringLiteral("QLabel")) return nullptr;
  auto* label = qobject_cast<QLabel*>(object);
  return label != nullptr && label->pixmap(Qt::ReturnByValue).isNull() ? new AccessibleLabel(label) : nullptr;
}

}  // namespace

void install_label_accessibility() {
  static const bool installed = [] {
    QAccessible::installFactory(make_interface);
    return true;
  }();
  Q_UNUSED(installed);
}

}  // namespace syncline::ui
