// SPDX-License-Identifier: GPL-3.0-or-later
// QCustomPlot is written with Qt's keywords, which the rest of ui/ is compiled without. Include it through this header only.
#pragma once

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef emit
#undef foreach
