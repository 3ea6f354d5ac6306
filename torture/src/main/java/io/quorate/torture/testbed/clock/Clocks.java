package io.quorate.torture.testbed.clock;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodePlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A wall clock for each node, with an offset from the clock of this machine that can be set. The
 * nodes' monotonic clocks stay correct, as they do where an administrator or NTP sets the time.
 */
public final class Clocks {
  private static final String LIBRARY = "libfaketimeMT.so.1";
  private static final List<Path> DIRECTORIES =
      List.of(
          Path.of("/usr/lib"),
          Path.of("/usr/lib64"),
          Path.of("/usr/local/lib"),
          Path.of("/usr/local/lib64"));
  private static final int DEPTH_MAX = 3;

  private final Path library;
  private final Map<NodeId, Path> files = new ConcurrentHashMap<>();

  private Clocks(Path library) {
    this.library = library;
  }

  /** The reason why this system cannot provide clocks, as a clause; empty if it can. */
  public static Optional<String> obstacle() {
    return library().isPresent()
        ? Optional.empty()
        : Optional.of("it needs " + LIBRARY + " of libfaketime, which is not installed");
  }

  /**
   * Creates clocks without offsets.
   *
   * @throws IOException if libfaketime is not installed
   */
  public static Clocks create() throws IOException {
    return new Clocks(library().orElseThrow(() -> new IOException(LIBRARY + " is not installed")));
  }

  /**
   * Creates the clock of a node and returns the environment variables with which the node's process
   * uses it.
   */
  public Map<String, String> environment(NodePlan node) {
    Path file = node.directory().resolve("clock");
    files.put(node.id(), file);
    try {
      Files.createDirectories(node.directory());
      write(file, Duration.ZERO);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Map.of(
        "LD_PRELOAD", library.toString(),
        "FAKETIME_TIMESTAMP_FILE", file.toString(),
        "FAKETIME_CACHE_DURATION", "1",
        // Otherwise timed waits of the JVM count as waits on the wall clock, and end at once.
        "FAKETIME_FORCE_MONOTONIC_FIX", "0",
        "FAKETIME_DONT_FAKE_MONOTONIC", "1");
  }

  /** Sets the offset of a node's clock, negative if behind. Takes effect within a second. */
  public void set(NodeId node, Duration offset) throws IOException {
    write(files.get(node), offset);
  }

  /** Atomic, because the node may be reading the file. */
  private static void write(Path file, Duration offset) throws IOException {
    Path draft = file.resolveSibling("clock.draft");
    Files.writeString(draft, String.format(Locale.ROOT, "%+d%n", offset.toSeconds()));
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static Optional<Path> library() {
    return DIRECTORIES.stream().flatMap(directory -> find(directory).stream()).findFirst();
  }

  private static Optional<Path> find(Path directory) {
    if (!Files.isDirectory(directory)) {
      return Optional.empty();
    }
    try (Stream<Path> found =
        Files.find(directory, DEPTH_MAX, (path, attributes) -> path.endsWith(LIBRARY))) {
      return found.findFirst();
    } catch (IOException | UncheckedIOException e) {
      return Optional.empty();
    }
  }
}
