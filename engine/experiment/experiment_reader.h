// SPDX-License-Identifier: Apache-2.0
// From the tree of a file to an Experiment: every section by its table, then what only several keys together can say.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/experiment/table_reader.h"

namespace syncline {

struct Reading {
  Experiment experiment;
  std::map<std::string, TableRecord> tables;  // by path: "", "train", "train.optimizer" ...
  std::vector<TableRecord> layers, nodes, links;
};

class ExperimentReader {
 public:
  ExperimentReader(const document::Node& root, const Catalogue& catalogue, ProblemList& problems)
      : root_(root), catalogue_(catalogue), problems_(problems), tables_(catalogue, problems) {}
  Reading read();  // complete only when there is no problem

 private:
  void read_root();
  void read_model();
  void read_layers(const document::Node&);
  void read_layer(const document::Node&, std::size_t index);
  void name_layers();
  void check_inputs();
  void read_data();
  void read_train();
  void check_length(const TableRecord&);
  void check_batches(const TableRecord&);
  void check_groups(const TableRecord& cluster);
  void read_optimizer(const document::Node* train);
  void read_schedule(const document::Node* train);
  void read_cluster();
  void read_compute(TableRecord& cluster, const document::Node*);
  void read_topology(const document::Node* cluster);
  void check_topology();
  void read_strategy();
  void read_options(const TableRecord& strategy, std::string_view key, std::string_view section, bool applies, Params& options);
  void check_exchange(TableRecord& strategy, const Catalogue::Strategy&);
  void check_link(const TableRecord& strategy);
  void check_levels(const TableRecord& strategy);
  void read_fault();
  void read_checkpoint();

  const document::Node* find(const document::Node* table, std::string_view key) const;
  Place place_of(const document::Node* table) const;
  TableRecord& keep(TableRecord);
  // The entry that `key` of the table names; null and `unknown` set when there is a name that the catalogue does not have.
  const Entry* chosen(const document::Node* table, const Section&, bool& unknown) const;
  std::vector<TableRecord> read_repeated(const document::Node* list, const Section&);

  const document::Node& root_;
  const Catalogue& catalogue_;
  ProblemList& problems_;
  TableReader tables_;
  Reading reading_;
};

// The complete text of a reading without problems.
std::string print_complete(const Reading&);

}  // namespace syncline
