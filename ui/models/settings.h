// SPDX-License-Identifier: GPL-3.0-or-later
// What is remembered outside a workspace (QSettings, a text file): window, formats, theme, shortcuts. Unknown keys of newer versions are
// kept. Every reader gives its default.
#pragma once

#include <QObject>
#include <QVariant>

namespace syncline::ui {

class Settings : public QObject {
  Q_OBJECT

 public:
  explicit Settings(QObject* parent = nullptr);
  QVariant value(const QString& key, const QVariant& otherwise = {}) const;
  void set(const QString& key, const QVariant&);  // written at once; signals only when it differs
  void remove(const QString& key);
  QStringList keys(const QString& group) const;

 Q_SIGNALS:
  void changed(const QString& key);
};

}  // namespace syncline::ui
