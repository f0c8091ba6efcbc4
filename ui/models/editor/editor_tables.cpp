// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/editor_tables.h"

#include <algorithm>

#include "engine/sim/schema.h"
#include "ui/models/editor/field_values.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

constexpr int right = Qt::AlignRight | Qt::AlignVCenter;

QString time_text(const std::optional<double>& seconds) { return format::orMissing(seconds, format::duration); }

}  // namespace

// --- layers

void LayerTable::setRows(const std::vector<LayerRow>& rows) {
  const int before = static_cast<int>(rows_.size()), after = static_cast<int>(rows.size()), common = std::min(before, after);
  for (int column = 0; column < column_count; ++column) {
    sums_[column] = 0;
    for (const LayerRow& row : rows) sums_[column] += number(row, column).value_or(0);
  }
  std::copy_n(rows.begin(), common, rows_.begin());
  if (common > 0) Q_EMIT dataChanged(index(0, 0), index(common - 1, column_count - 1));
  if (after > before) {
    beginInsertRows({}, before, after - 1);
    rows_ = rows;
    endInsertRows();
  } else if (after < before) {
    beginRemoveRows({}, after, before - 1);
    rows_ = rows;
    endRemoveRows();
  }
}

std::optional<double> LayerTable::number(const LayerRow& row, int column) const {
  if (column == parameters_column && row.parameters) return static_cast<double>(*row.parameters);
  if (column == flop_column) return row.flop;
  if (column == activations_column && row.activation_bytes) return static_cast<double>(*row.activation_bytes);
  return std::nullopt;
}

int LayerTable::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int LayerTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant LayerTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const LayerRow& row = rows_[static_cast<std::size_t>(index.row())];
  const std::optional<double> value = number(row, index.column());
  switch (role) {
    case Qt::DisplayRole:
      switch (index.column()) {
        case number_column:
          return row.problem.isEmpty() ? QString::number(index.row() + 1) : QString::number(index.row() + 1) + QStringLiteral(" !");
        case name_column:
          return row.name;
        case type_column:
          return row.type;
        case in_column:
          return row.in.isEmpty() ? format::missing : row.in;
        case out_column:
          return row.out.isEmpty() ? format::missing : row.out;
        case parameters_column:
          return row.parameters ? format::count(*row.parameters) : format::missing;
        case flop_column:
          return row.flop ? format::metric(*row.flop / 1e6) : format::missing;
        case activations_column:
          return value ? format::bytes(*value) : format::missing;
        default:
          return {};
      }
    case Qt::ToolTipRole:
      if (!row.problem.isEmpty()) return row.problem;
      if (row.beyond) return tr("Not known: a layer before it is impossible");
      if (row.bucket >= 0 && index.column() == number_column) return tr("Message %1 of the step").arg(row.bucket);
      return {};
    case Qt::TextAlignmentRole:
      return index.column() >= parameters_column || index.column() == number_column ? QVariant(right) : QVariant();
    case share_role:
      return value && sums_[index.column()] > 0 ? QVariant(*value / sums_[index.column()]) : QVariant();
    case problem_role:
      return row.problem;
    case Qt::AccessibleTextRole:
      if (index.column() == number_column && !row.problem.isEmpty()) return tr("%1, problem: %2").arg(index.row() + 1).arg(row.problem);
      return {};
    default:
      return {};
  }
}

QVariant LayerTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return section >= parameters_column ? QVariant(right) : QVariant();
  if (role == Qt::ToolTipRole) {
    if (section == flop_column) return tr("Millions of operations of forward and backward pass for one sample; a multiply-add counts 2");
    if (section == activations_column) return tr("Memory of the layer's output for one sample");
    return {};
  }
  if (role != Qt::DisplayRole) return {};
  static const char* const titles[] = {QT_TR_NOOP("#"),   QT_TR_NOOP("Layer"),      QT_TR_NOOP("Type"),         QT_TR_NOOP("In"),
                                       QT_TR_NOOP("Out"), QT_TR_NOOP("Parameters"), QT_TR_NOOP("MFLOP/sample"), QT_TR_NOOP("Activations")};
  return section >= 0 && section < column_count ? tr(titles[section]) : QString();
}

// --- messages of a step

void BucketTable::setRows(const std::vector<BucketRow>& rows) {
  beginResetModel();
  rows_ = rows;
  endResetModel();
}

int BucketTable::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int BucketTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant BucketTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const BucketRow& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole) return index.column() == layers_column ? QVariant() : QVariant(right);
  if (role == Qt::ToolTipRole && index.column() == layers_column) return row.layers.join(QStringLiteral(", "));
  if (role == Qt::ToolTipRole && index.column() == bytes_column) return tr("%1 bytes").arg(format::count(row.bytes));
  if (role == Qt::ToolTipRole && index.column() > bytes_column && !row.ready_s)
    return tr("Needs measured layer times of this model and batch");
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case number_column:
      return QString::number(index.row());
    case layers_column:
      return row.layers.join(QStringLiteral(", "));
    case bytes_column:
      return format::traffic(static_cast<double>(row.bytes));
    case ready_column:
      return time_text(row.ready_s);
    case start_column:
      return time_text(row.start_s);
    case end_column:
      return time_text(row.end_s);
    default:
      return {};
  }
}

QVariant BucketTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return section == layers_column ? QVariant() : QVariant(right);
  if (role != Qt::DisplayRole) return {};
  static const char* const titles[] = {QT_TR_NOOP("#"),     QT_TR_NOOP("Layers"), QT_TR_NOOP("Size"),
                                       QT_TR_NOOP("Ready"), QT_TR_NOOP("Start"),  QT_TR_NOOP("End")};
  return section >= 0 && section < column_count ? tr(titles[section]) : QString();
}

// --- topology

TopologyModel::TopologyModel(ExperimentDocument& document, QObject* parent) : QAbstractTableModel(parent), document_(document) {
  connect(&document_, &ExperimentDocument::changed, this, &TopologyModel::refresh);
  refresh();
}

void TopologyModel::refresh() {
  if (document_.syntaxError()) return;  // what was shown last stays
  std::vector<Field> fields =
      fields_of(document_, catalogue(), {{"cluster", {"workers", "threads_per_worker", "device"}}, {"cluster.link"}});
  const bool same = fields.size() == fields_.size();
  if (!same) beginResetModel();
  fields_ = std::move(fields);
  if (!same) endResetModel();
  if (same && !fields_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));

  Shape shape;
  for (const Field& field : fields_) {
    const std::optional<Value> value = value_at(document_.tree(), field.path, field.parameter);
    if (!value) continue;
    const std::string& key = field.path.back();
    const auto* whole = std::get_if<std::int64_t>(&value->data);
    const auto* real = std::get_if<double>(&value->data);
    const auto* flag = std::get_if<bool>(&value->data);
    if (key == "workers" && whole != nullptr) shape.workers = *whole;
    if (key == "threads_per_worker" && whole != nullptr) shape.threads = *whole;
    if (key == "bandwidth" && real != nullptr) shape.bandwidth_bytes_per_s = *real;
    if (key == "latency" && real != nullptr) shape.latency_s = *real;
    if (key == "emulate" && flag != nullptr) shape.emulate = *flag;
  }
  if (shape == shape_) return;
  shape_ = shape;
  Q_EMIT shapeChanged();
}

QString TopologyModel::linkText() const {
  const QString speed = shape_.bandwidth_bytes_per_s > 0 ? format::linkSpeed(shape_.bandwidth_bytes_per_s) : tr("as fast as it is");
  QString text = shape_.latency_s > 0 ? speed + QStringLiteral(" · ") + format::duration(shape_.latency_s) : speed;
  if (shape_.emulate) text += tr(", emulated");
  return text;
}

int TopologyModel::rowOf(const QString& key) const {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].key() == key) return static_cast<int>(i);
  }
  return -1;
}

QString TopologyModel::keyOf(int row) const {
  return row >= 0 && row < rowCount() ? fields_[static_cast<std::size_t>(row)].key() : QString();
}

int TopologyModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(fields_.size()); }
int TopologyModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

Qt::ItemFlags TopologyModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  const bool editable = index.isValid() && index.column() == value_column && !document_.readOnly() && !document_.syntaxError();
  return editable ? flags | Qt::ItemIsEditable : flags;
}

QVariant TopologyModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Field& field = fields_[static_cast<std::size_t>(index.row())];
  if (role == Qt::ToolTipRole) return text_of(field.parameter.help);
  if (role != Qt::DisplayRole && role != Qt::EditRole) return {};
  switch (index.column()) {
    case item_column:
      return field.section == "cluster.link" ? tr("Link") : tr("Ranks");
    case property_column:
      return text_of(field.parameter.key);
    case value_column:
      if (role == Qt::EditRole) return field.given ? field.shown : field.initial;
      return field.given ? field.shown : tr("%1 (default)").arg(field.initial);
    case help_column:
      return text_of(field.parameter.help);
    default:
      return {};
  }
}

bool TopologyModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !index.isValid() || index.column() != value_column || index.row() >= rowCount()) return false;
  const Field field = fields_[static_cast<std::size_t>(index.row())];
  const QString typed = value.toString();
  if (typed == (field.given ? field.shown : field.initial)) return true;
  const std::string toml = toml_of(typed, field.parameter, field.given ? std::optional(field.written) : std::nullopt);
  const bool done = toml.empty() ? document_.removeValue(field.path) : document_.setValue(field.path, toml);
  document_.endTyping();
  return done;
}

QVariant TopologyModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  static const char* const titles[] = {QT_TR_NOOP("Item"), QT_TR_NOOP("Property"), QT_TR_NOOP("Value"), QT_TR_NOOP("Meaning")};
  return section >= 0 && section < column_count ? tr(titles[section]) : QString();
}

}  // namespace syncline::ui
