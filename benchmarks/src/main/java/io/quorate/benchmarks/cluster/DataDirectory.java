package io.quorate.benchmarks.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option that says where clusters that are started keep their data. */
public final class DataDirectory {
  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Its data goes into a new directory below this one, which decides the disk that is"
              + " measured (default: the system's temporary directory).")
  private Path parent = Path.of(System.getProperty("java.io.tmpdir"));

  /** The directory; it is made if there is none. */
  public Path make() throws IOException {
    Files.createDirectories(parent);
    return parent;
  }
}
