package io.quorate.server.localcluster;

import io.quorate.server.localcluster.ServerJvm.Lifetime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The process of one node, which can be started, stopped, killed, paused and restarted.
 *
 * <p>Methods that change the process must be called by one thread at a time; queries are
 * thread-safe.
 */
public final class NodeProcess {
  private static final long LOG_BYTES_MAX = 16L << 20;
  private static final int LOG_TAIL_BYTES = 8 << 10;

  private final NodePlan plan;
  private final Lifetime lifetime;
  private final Launch launch;
  private volatile Optional<Process> process = Optional.empty();

  NodeProcess(NodePlan plan, Lifetime lifetime, Launch launch) {
    this.plan = plan;
    this.lifetime = lifetime;
    this.launch = launch;
  }

  public NodePlan plan() {
    return plan;
  }

  /**
   * Whether the process was started and has not been stopped or killed since. It may have ended by
   * itself.
   */
  boolean isStarted() {
    return process.isPresent();
  }

  public boolean isAlive() {
    return process.map(Process::isAlive).orElse(false);
  }

  /** The process, if it is alive. */
  public Optional<ProcessHandle> handle() {
    return process.filter(Process::isAlive).map(Process::toHandle);
  }

  /**
   * Starts the process if it does not run. Does not wait until the node serves.
   *
   * @throws IOException if its directory or the JVM cannot be used; no process runs then
   */
  public void start() throws IOException {
    if (isAlive()) {
      return;
    }
    Files.createDirectories(plan.directory());
    FileTree.delete(plan.scratchDirectory());
    Files.createDirectories(plan.scratchDirectory());
    rotateLog();
    ProcessBuilder builder = new ProcessBuilder(ServerJvm.command(plan, lifetime, launch));
    builder.directory(plan.directory().toFile());
    builder.redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(plan.logFile().toFile()));
    // RocksDB allocates on many threads; an arena for each thread would only cost memory.
    builder.environment().putIfAbsent("MALLOC_ARENA_MAX", "2");
    builder.environment().putAll(launch.environment());
    Process started = builder.start();
    process = Optional.of(started);
    if (lifetime == Lifetime.DETACHED) {
      started.getOutputStream().close();
    }
    ProcessFile.write(plan.processFile(), started.toHandle());
  }

  /** Completes when the process has ended; immediately if there is none. */
  public CompletableFuture<NodeProcess> onExit() {
    return process
        .map(present -> present.onExit().thenApply(ended -> this))
        .orElseGet(() -> CompletableFuture.completedFuture(this));
  }

  /** Requests a graceful stop (SIGTERM); returns immediately. */
  public void terminate() {
    handle().ifPresent(ProcessHandle::destroy);
  }

  /** Kills the process (SIGKILL), like a crash. Blocks until it has ended. */
  public void kill() {
    handle().ifPresent(ProcessHandle::destroyForcibly);
    onExit().join();
    clearProcess();
  }

  /**
   * Requests a graceful stop, and kills the process after {@code timeout}. Blocks until it has
   * ended.
   *
   * @return whether it stopped by itself
   */
  public boolean stop(Duration timeout) throws InterruptedException {
    terminate();
    return awaitExit(timeout);
  }

  /** Waits for a process that was requested to stop, and kills it after {@code timeout}. */
  boolean awaitExit(Duration timeout) throws InterruptedException {
    try {
      onExit().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      kill();
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    clearProcess();
    return true;
  }

  /** Pauses the process (SIGSTOP): its connections stay open, but it does not respond. */
  public void pause() throws IOException {
    Signals.pause(requireHandle());
  }

  /** Resumes a paused process (SIGCONT). */
  public void resume() throws IOException {
    Signals.resume(requireHandle());
  }

  /** Returns the last line of the log that is not empty, or a sentence that there is none. */
  public String lastSentence() {
    try {
      List<String> lines =
          tail(plan.logFile()).lines().map(String::strip).filter(l -> !l.isEmpty()).toList();
      return lines.isEmpty() ? "It wrote nothing." : lines.get(lines.size() - 1);
    } catch (IOException e) {
      return "Its log " + plan.logFile() + " cannot be read.";
    }
  }

  private ProcessHandle requireHandle() {
    return handle().orElseThrow(() -> new ClusterException("Node " + plan.id() + " does not run."));
  }

  private void clearProcess() {
    process = Optional.empty();
    LocalNode local = new LocalNode(plan);
    try {
      // Another program may have restarted the node.
      if (local.process().isEmpty()) {
        local.deleteProcessFiles();
      }
    } catch (IOException e) {
      // The process has ended; the next start replaces its files.
      return;
    }
  }

  private void rotateLog() throws IOException {
    Path log = plan.logFile();
    if (Files.exists(log) && Files.size(log) > LOG_BYTES_MAX) {
      Files.move(log, log.resolveSibling("server.log.old"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static String tail(Path file) throws IOException {
    try (SeekableByteChannel channel = Files.newByteChannel(file)) {
      channel.position(Math.max(0, channel.size() - LOG_TAIL_BYTES));
      ByteBuffer bytes = ByteBuffer.allocate(LOG_TAIL_BYTES);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
      return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
    }
  }
}
