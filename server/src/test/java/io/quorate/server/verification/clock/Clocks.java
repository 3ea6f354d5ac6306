package io.quorate.server.verification.clock;

import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.NodePlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A wall clock for each node, ahead of or behind this machine's by what was said last. The nodes'
 * monotonic clocks stay true, as they do where an administrator or NTP sets the time.
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

  /** Why there can be no such clocks here, as a part of a sentence; empty if there can. */
  public static Optional<String> obstacle() {
    return library().isPresent()
        ? Optional.empty()
        : Optional.of("it needs " + LIBRARY + " of libfaketime, which is not installed");
  }

  /**
   * Clocks that tell the right time.
   *
   * @throws IOException if there can be none here
   */
  public static Clocks create() throws IOException {
    return new Clocks(library().orElseThrow(() -> new IOException(LIBRARY + " is not installed")));
  }

  /** What a node's process has to find in its environment to go by its own clock. */
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
        // Otherwise it takes the JVM's waits for ones by the wall clock, and ends them at once.
        "FAKETIME_FORCE_MONOTONIC_FIX", "0",
        "FAKETIME_DONT_FAKE_MONOTONIC", "1");
  }

  /** Sets a node's clock ahead, or back if negative; it notices within a second. */
  public void set(NodeId node, Duration ahead) throws IOException {
    write(files.get(node), ahead);
  }

  /** Atomically: a node may be reading it. */
  private static void write(Path file, Duration ahead) throws IOException {
    Path draft = file.resolveSibling("clock.draft");
    Files.writeString(draft, String.format("%+d%n", ahead.toSeconds()));
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static Optional<Path> library() {
    return DIRECTORIES.stream().flatMap(directory -> in(directory).stream()).findFirst();
  }

  private static Optional<Path> in(Path directory) {
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
