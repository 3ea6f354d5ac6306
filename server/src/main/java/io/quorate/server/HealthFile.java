package io.quorate.server;

import io.quorate.common.LogLimit;
import io.quorate.common.Threads;
import io.quorate.server.admin.Health;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file with the health of the node, for a supervisor on the machine that has no HTTP client, such
 * as the health check of the image. Written each second: a number that is another one each time, so
 * that a reader notices a node that hangs; below it {@code ok} or the problems, one on each line.
 */
final class HealthFile implements AutoCloseable {
  /** The environment variable with the path; there is no file without it. */
  static final String VARIABLE = "QUORATE_HEALTH_FILE";

  private static final Logger LOG = LoggerFactory.getLogger(HealthFile.class);

  private final Path file;
  private final Supplier<Health> health;
  private final LogLimit failing = LogLimit.oneAMinute();

  /** It may wait for the disk of the file. */
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(Threads.named("quorate-health-file"));

  private long written;

  private HealthFile(Path file, Supplier<Health> health) {
    this.file = file.toAbsolutePath();
    this.health = health;
  }

  /**
   * Writes the file from now on.
   *
   * @param path empty for none
   * @param health must not block
   */
  static Optional<HealthFile> start(Optional<String> path, Supplier<Health> health) {
    return path.filter(text -> !text.isEmpty())
        .map(
            text -> {
              HealthFile started = new HealthFile(Path.of(text), health);
              started.thread.scheduleWithFixedDelay(started::write, 0, 1, TimeUnit.SECONDS);
              return started;
            });
  }

  private void write() {
    Health present = health.get();
    String verdict = present.isGood() ? "ok" : String.join("\n", present.problems());
    Path draft = file.resolveSibling(file.getFileName() + ".draft");
    try {
      written++;
      Files.writeString(draft, written + "\n" + verdict + "\n");
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      failing.log(
          leftOut ->
              LOG.atWarn()
                  .addKeyValue("file", file)
                  .addKeyValue("error", e)
                  .log("The health cannot be written" + LogLimit.text(leftOut)));
    }
  }

  /** Ends the writing. What was written last stays, and shows that nothing follows. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
