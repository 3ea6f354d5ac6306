package io.quorate.benchmarks.peers.contender;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Where the programs of contenders are.
 *
 * @param directory contains those that were built; may not exist yet
 * @param mayBuild whether missing ones are built
 * @param progress receives what is being done, in a few words
 */
public record Programs(Path directory, boolean mayBuild, Consumer<String> progress) {
  private static final String CACHE = "XDG_CACHE_HOME";

  /** The directory for what was built, below the cache directory of the user. */
  public static Path defaultDirectory() {
    String cache = Optional.ofNullable(System.getenv(CACHE)).orElse("");
    Path parent =
        cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache);
    return parent.resolve("quorate").resolve("peers");
  }

  /** An installed program; empty if {@code PATH} has none of this name. */
  public static Optional<Path> installed(String program) {
    return ChildProcess.find(program, Optional.ofNullable(System.getenv("PATH")).orElse(""));
  }
}
