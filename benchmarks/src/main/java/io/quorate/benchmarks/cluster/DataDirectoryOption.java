package io.quorate.benchmarks.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option for the data directory of started clusters. */
public final class DataDirectoryOption {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Its data goes into a new directory below this one, which decides the disk that is"
              + " measured (default: the system's temporary directory).")
  private Path parent = Path.of(System.getProperty("java.io.tmpdir"));

  /** Returns the directory; creates it if it does not exist. */
  public Path make() throws IOException {
    Files.createDirectories(parent);
    return parent;
  }
}
