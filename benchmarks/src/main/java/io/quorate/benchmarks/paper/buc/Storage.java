package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.Clusters;
import io.quorate.benchmarks.paper.Medium;
import java.util.Map;

/** How nodes keep what they apply. */
enum Storage {
  /** As the paper's systems: everything is written to two logs. */
  TWO_LOGS("storage.wal=on", "wal", Map.of("storage.wal", "on"), Medium.DISK),
  /** As we have it: the log of consensus is the only one. */
  ONE_LOG("default storage", "default", Map.of(), Medium.DISK),
  /** As the paper's systems, and nothing waits for a disk. */
  IN_MEMORY("data in memory, storage.wal=on", "memory", Map.of("storage.wal", "on"), Medium.MEMORY);

  private final String text;
  private final String fileName;
  private final Map<String, String> settings;
  private final Medium medium;

  Storage(String text, String fileName, Map<String, String> settings, Medium medium) {
    this.text = text;
    this.fileName = fileName;
    this.settings = settings;
    this.medium = medium;
  }

  /** As tables name it. */
  String text() {
    return text;
  }

  /** As names of files have it. */
  String fileName() {
    return fileName;
  }

  /** Keys of the configuration that differ from the defaults. */
  Map<String, String> settings() {
    return settings;
  }

  Clusters clusters(int replicas) {
    return new Clusters(text, replicas, medium);
  }
}
