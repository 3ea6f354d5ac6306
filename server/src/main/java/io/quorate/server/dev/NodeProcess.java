package io.quorate.server.dev;

import io.quorate.server.dev.ServerJvm.Lifetime;
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
 * One node as a process of its own: started, stopped, killed, frozen and started again.
 *
 * <p>Methods that change the process are called by one thread at a time; queries by any.
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

  /** Whether there is a process, or was one that ended by itself since it was started. */
  boolean isStarted() {
    return process.isPresent();
  }

  public boolean isAlive() {
    return process.map(Process::isAlive).orElse(false);
  }

  /** The process, while there is one. */
  public Optional<ProcessHandle> handle() {
    return process.filter(Process::isAlive).map(Process::toHandle);
  }

  /**
   * Starts the process, which takes a while to serve; nothing if it runs. Never blocks for it.
   *
   * @throws IOException if its directory or the JVM cannot be used; then nothing runs
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
    // RocksDB allocates on many threads; an arena for each would only cost memory.
    builder.environment().putIfAbsent("MALLOC_ARENA_MAX", "2");
    builder.environment().putAll(launch.environment());
    Process started = builder.start();
    process = Optional.of(started);
    if (lifetime == Lifetime.DETACHED) {
      started.getOutputStream().close();
    }
    ProcessFile.write(plan.processFile(), started.toHandle());
  }

  /** Completes when the process has ended; at once if there is none. */
  public CompletableFuture<NodeProcess> onExit() {
    return process
        .map(present -> present.onExit().thenApply(ended -> this))
        .orElseGet(() -> CompletableFuture.completedFuture(this));
  }

  /** Asks the process to stop in good order (SIGTERM); returns at once. */
  public void terminate() {
    handle().ifPresent(ProcessHandle::destroy);
  }

  /** Ends the process as a crash would (SIGKILL), and returns when it is gone. */
  public void kill() {
    handle().ifPresent(ProcessHandle::destroyForcibly);
    onExit().join();
    forget();
  }

  /**
   * Asks the process to stop in good order, and kills it if it takes longer than {@code patience}.
   * Blocks until it is gone.
   *
   * @return whether it stopped by itself
   */
  public boolean stop(Duration patience) throws InterruptedException {
    terminate();
    return awaitExit(patience);
  }

  /** Waits for a process that was asked to stop, and kills it after {@code patience}. */
  boolean awaitExit(Duration patience) throws InterruptedException {
    try {
      onExit().get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      kill();
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
    forget();
    return true;
  }

  /** Stops the process' clock (SIGSTOP): it keeps its connections and answers nothing. */
  public void pause() throws IOException {
    Signals.pause(required());
  }

  /** Lets a paused process go on (SIGCONT). */
  public void resume() throws IOException {
    Signals.resume(required());
  }

  /**
   * What the node said last: the last line of its log that is not empty, or a sentence that there
   * is none.
   */
  public String lastSentence() {
    try {
      List<String> lines =
          tail(plan.logFile()).lines().map(String::strip).filter(l -> !l.isEmpty()).toList();
      return lines.isEmpty() ? "It wrote nothing." : lines.get(lines.size() - 1);
    } catch (IOException e) {
      return "Its log " + plan.logFile() + " cannot be read.";
    }
  }

  private ProcessHandle required() {
    return handle().orElseThrow(() -> new ClusterException("Node " + plan.id() + " does not run."));
  }

  private void forget() {
    process = Optional.empty();
    LocalNode local = new LocalNode(plan);
    try {
      // Another program may have started the node again.
      if (local.process().isEmpty()) {
        local.forget();
      }
    } catch (IOException e) {
      // The process is gone, which is what matters; the next start clears both.
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
