package io.quorate.torture.testbed.disk;

import io.quorate.common.ShutdownHook;
import io.quorate.server.localcluster.FileTree;
import io.quorate.torture.testbed.process.Programs;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Injects the latency of devices: a library that the processes of nodes preload delays their
 * fsyncs, also those of native code, which an agent in the JVM cannot. The delays can change while
 * the nodes run. They cost no processor time and limit no bandwidth. Not thread-safe.
 *
 * <p>Requires Linux and a C compiler.
 */
public final class SyncDelays implements AutoCloseable {
  /** The directories of a node with the consensus log and with the log and tables of RocksDB. */
  private static final String LOG = "/consensus/";

  private static final String DATA = "/storage/db/";
  private static final String COMPILER = "cc";
  private static final String SOURCE = "sync-delays.c";
  private static final String PRELOAD = "LD_PRELOAD";
  private static final String DELAYS = "QUORATE_SYNC_DELAYS";

  private final Path directory;
  private final Path library;
  private final Path delays;
  private final ShutdownHook closeWithJvm = new ShutdownHook("sync-delays-close", this::close);

  private SyncDelays(Path directory) {
    this.directory = directory;
    this.library = directory.resolve("sync-delays.so");
    this.delays = directory.resolve("delays");
  }

  /** The reason why this system cannot inject them, as a clause; empty if it can. */
  public static Optional<String> obstacle() {
    if (!System.getProperty("os.name").equals("Linux")) {
      return Optional.of("they need Linux");
    }
    return Programs.isInstalled(COMPILER)
        ? Optional.empty()
        : Optional.of("they need the C compiler " + COMPILER + ", which is not installed");
  }

  /**
   * Compiles the library, which delays nothing until {@link #set}. Blocks.
   *
   * @throws IOException if it cannot be compiled; nothing is left then
   */
  public static SyncDelays create() throws IOException {
    // Not beside the data: a file system in memory may refuse to execute its files.
    SyncDelays created = new SyncDelays(Files.createTempDirectory("quorate-delays-"));
    created.closeWithJvm.register();
    try {
      created.compile();
      created.set(Duration.ZERO, Duration.ZERO);
      return created;
    } catch (IOException | RuntimeException e) {
      created.close();
      throw e;
    }
  }

  private void compile() throws IOException {
    Path source = directory.resolve(SOURCE);
    try (InputStream in = SyncDelays.class.getResourceAsStream(SOURCE)) {
      Files.copy(in, source);
    }
    Programs.run(
        COMPILER, "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString(), "-ldl");
  }

  /**
   * Sets the shortest time of an fsync of the nodes from now on.
   *
   * @param log in the directory of the consensus log
   * @param data in the directory of RocksDB, whose log is synced with {@code storage.wal=synced}
   */
  public void set(Duration log, Duration data) throws IOException {
    Path draft = directory.resolve("delays.draft");
    Files.write(draft, List.of(micros(log) + " " + LOG, micros(data) + " " + DATA));
    Files.move(draft, delays, StandardCopyOption.ATOMIC_MOVE);
  }

  private static long micros(Duration duration) {
    return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
  }

  /** The variables with which the process of a node has the delays. */
  public Map<String, String> environment() {
    Map<String, String> variables = new HashMap<>();
    String others = System.getenv(PRELOAD);
    variables.put(PRELOAD, others == null ? library.toString() : library + ":" + others);
    variables.put(DELAYS, delays.toString());
    return variables;
  }

  /** Deletes the library. The nodes must have ended. Further calls have no effect. */
  @Override
  public void close() {
    try {
      FileTree.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    closeWithJvm.close();
  }
}
