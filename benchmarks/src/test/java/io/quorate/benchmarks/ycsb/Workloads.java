package io.quorate.benchmarks.ycsb;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/** The workload files of this module. */
final class Workloads {
  private static final Path DIRECTORY = Path.of("src", "main", "workloads");

  private Workloads() {}

  /** In alphabetical order. */
  static List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(DIRECTORY)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  static Properties properties(String name) throws IOException {
    Properties properties = new Properties();
    try (InputStream file = Files.newInputStream(DIRECTORY.resolve(name))) {
      properties.load(file);
    }
    return properties;
  }
}
