// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/settings.h"

#include <QSettings>

namespace syncline::ui {

Settings::Settings(QObject* parent) : QObject(parent) {}

QVariant Settings::value(const QString& key, const QVariant& otherwise) const { return QSettings().value(key, otherwise); }

void Settings::set(const QString& key, const QVariant& value) {
  QSettings settings;
  if (settings.contains(key) && settings.value(key) == value) return;
  settings.setValue(key, value);
  Q_EMIT changed(key);
}

void Settings::remove(const QString& key) {
  QSettings settings;
  if (!settings.contains(key)) return;
  settings.remove(key);
  Q_EMIT changed(key);
}

QStringList Settings::keys(const QString& group) const {
  QSettings settings;
  settings.beginGroup(group);
  return settings.allKeys();
}

}  // namespace syncline::ui
