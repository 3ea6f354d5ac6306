package io.quorate.storage.context;

import io.quorate.common.LogLimit;
import io.quorate.common.Threads;
import io.quorate.consensus.MetricsSink;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseException;
import io.quorate.storage.rocks.FileCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies all files of the database again and again, on a thread of its own with a low priority,
 * one file after the other. It pauses after each, so that it takes a twentieth of a processor and
 * of the time of the disk at most. A file that is damaged is reported, and the others are verified
 * all the same; one that a compaction removes meanwhile is left out.
 */
public final class DatabaseScrub {
  private static final Logger LOG = LoggerFactory.getLogger(DatabaseScrub.class);

  /** Until then a node that has started has other work for its disk. */
  private static final long FIRST_NANOS_MAX = TimeUnit.MINUTES.toNanos(5);

  private static final double SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LogLimit failing = LogLimit.oneAMinute();
  private final FileCheck check;
  private final long intervalNanos;
  private final FailureReport failures;
  private final MetricsSink.Counter files;
  private final MetricsSink.Counter bytes;
  private final MetricsSink.Counter damaged;
  private final MetricsSink.Counter rounds;
  private final Thread thread = Threads.named("quorate-scrub").newThread(this::repeat);

  /** Files of the present round that are yet to be verified. */
  private volatile int remaining;

  private volatile long completedNanos = System.nanoTime();
  private volatile boolean closing;

  /**
   * @param interval from the beginning of a round to that of the next one
   * @param failures receives the damaged files
   */
  public DatabaseScrub(
      Database database, Duration interval, FailureReport failures, MetricsSink telemetry) {
    this.check = new FileCheck(database);
    this.intervalNanos = interval.toNanos();
    this.failures = failures;
    this.files =
        telemetry.counter(
            "storage.scrub.files",
            "Tables and blob files of the database that a scrub has verified",
            Map.of());
    this.bytes =
        telemetry.counter(
            "storage.scrub.bytes",
            "Bytes of the tables and blob files that a scrub has verified",
            Map.of());
    this.damaged =
        telemetry.counter(
            "storage.scrub.damaged",
            "Tables and blob files that a scrub found damaged, each once in a round",
            Map.of());
    this.rounds =
        telemetry.counter(
            "storage.scrub.rounds", "Rounds of the scrub that have read every file", Map.of());
    telemetry.gauge(
        "storage.scrub.remaining",
        "Files that the present round of the scrub has yet to verify",
        Map.of(),
        () -> remaining);
    telemetry.gauge(
        "storage.scrub.age.seconds",
        "Time since a round of the scrub has read every file, before the first one since the start",
        Map.of(),
        () -> (System.nanoTime() - completedNanos) / SECOND_NANOS);
    thread.setPriority(Thread.MIN_PRIORITY);
  }

  /** Starts the thread, and the first round after some minutes. To be called once; not blocking. */
  public void start() {
    thread.start();
  }

  private void repeat() {
    try {
      TimeUnit.NANOSECONDS.sleep(Math.min(intervalNanos, FIRST_NANOS_MAX));
      while (!closing) {
        long started = System.nanoTime();
        round();
        long left = intervalNanos - (System.nanoTime() - started);
        TimeUnit.NANOSECONDS.sleep(Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)));
      }
    } catch (InterruptedException e) {
      LOG.debug("The files of the database are not verified any more: the storage is closed");
    }
  }

  private void round() throws InterruptedException {
    boolean isComplete = true;
    try {
      List<Path> present = check.files();
      remaining = present.size();
      for (Path file : present) {
        long started = System.nanoTime();
        isComplete &= verify(file);
        remaining--;
        TimeUnit.NANOSECONDS.sleep(BackgroundShare.pauseAfter(started));
      }
    } catch (DatabaseException | RuntimeException e) {
      isComplete = false;
      warn("The files of the database cannot be verified; the next round retries", e);
    }
    if (isComplete) {
      rounds.add(1);
      completedNanos = System.nanoTime();
    }
  }

  /** Whether the file was read. */
  private boolean verify(Path file) throws InterruptedException {
    try {
      check
          .verify(file)
          .ifPresent(
              size -> {
                files.add(1);
                bytes.add(size);
              });
      return true;
    } catch (IOException e) {
      if (closing) {
        throw new InterruptedException();
      }
      if (e instanceof DatabaseException failure
          && failure.kind() == StorageFailure.Kind.CORRUPTION) {
        damaged.add(1);
        failures.damaged(file, failure);
        return true;
      }
      warn("A file of the database cannot be verified; the next round retries", e);
      return false;
    }
  }

  private void warn(String message, Exception cause) {
    failing.log(leftOut -> LOG.warn("{}{}", message, LogLimit.text(leftOut), cause));
  }

  /** Ends the round in progress when the present file is verified, and waits for that. Blocks. */
  public void close() {
    closing = true;
    thread.interrupt();
    Threads.awaitEnd(thread);
  }
}
