// SPDX-License-Identifier: GPL-3.0-or-later
// The meta objects of Workbench and Page live here; everything else of them is in the header.
#include "ui/widgets/workbench.h"
