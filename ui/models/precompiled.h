// SPDX-License-Identifier: GPL-3.0-or-later
// Headers that nearly every file of ui/models includes; a build that is slow is a build that is not run.
#pragma once

#include <QAbstractItemModel>
#include <QColor>
#include <QDateTime>
#include <QHash>
#include <QLocale>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QVariant>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
