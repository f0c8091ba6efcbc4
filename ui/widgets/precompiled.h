// SPDX-License-Identifier: GPL-3.0-or-later
// Headers that nearly every file of ui/widgets, ui/views and ui/dialogs includes.
#pragma once

#include "ui/widgets/plot.h"

#include <QtCore>
#include <QtGui>
#include <QtWidgets>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
