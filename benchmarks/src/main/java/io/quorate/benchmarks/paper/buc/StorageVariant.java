package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import java.util.List;
import java.util.Map;

/** The storage configurations of the nodes. */
enum StorageVariant {
  /** As in the systems of the paper: everything is written to two logs. */
  TWO_LOGS("storage.wal=on", "wal", Map.of("storage.wal", "on"), DataMedium.DISK),
  /** Our default: the log of consensus is the only log. */
  ONE_LOG("default storage", "default", Map.of(), DataMedium.DISK),
  /** As in the systems of the paper, but without waiting for a disk. */
  IN_MEMORY(
      "data in memory, storage.wal=on", "memory", Map.of("storage.wal", "on"), DataMedium.MEMORY),
  /** Both logs are durable before a write is applied, each after an fsync of a chosen time. */
  SYNCED("storage.wal=synced", "synced", Map.of("storage.wal", "synced"), DataMedium.DELAYED_SYNCS),
  /** The same on a device of limited speed for each node. */
  ON_DEVICES(
      "storage.wal=synced on limited devices",
      "devices",
      Map.of("storage.wal", "synced"),
      DataMedium.LIMITED_DEVICES);

  private final String text;
  private final String fileName;
  private final Map<String, String> settings;
  private final DataMedium medium;

  StorageVariant(String text, String fileName, Map<String, String> settings, DataMedium medium) {
    this.text = text;
    this.fileName = fileName;
    this.settings = settings;
    this.medium = medium;
  }

  /** The variant of the nodes in a case of this evaluation. */
  static StorageVariant of(Case one) {
    for (StorageVariant storage : values()) {
      if (one.clusters().name().equals(storage.text)) {
        return storage;
      }
    }
    throw new IllegalArgumentException("This case is of another evaluation: " + one.name());
  }

  /** The cases with this variant. */
  List<Case> cases(List<Case> all) {
    return all.stream().filter(each -> of(each) == this).toList();
  }

  /** The name in tables. */
  String text() {
    return text;
  }

  /** The name in file names. */
  String fileName() {
    return fileName;
  }

  /** The configuration keys that differ from the defaults. */
  Map<String, String> settings() {
    return settings;
  }

  Clusters clusters(int replicas) {
    return new Clusters(text, replicas, medium);
  }
}
