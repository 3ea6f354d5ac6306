package io.quorate.server.cli.load;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.common.Failures;
import io.quorate.model.Key;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.ProgressLine;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** One load of a file: reads lines and writes them with many requests in flight. */
final class Load {
  private static final int LINES_IN_FLIGHT_MAX = 1024;
  private static final long BYTES_IN_FLIGHT_MAX = 16 << 20;
  private static final int BAR_WIDTH = 30;

  /**
   * @param loaded number of lines that took effect
   * @param failed number of lines that failed or whose outcome is unknown
   * @param problem the reason why the load ended early, in one sentence
   */
  record Report(
      long loaded, long failed, Duration took, Optional<String> problem, ExitCode exitCode) {
    String summary() {
      double seconds = Math.max(took.toNanos() / 1e9, 1e-3);
      return String.format(
          Locale.ROOT,
          "Loaded %d lines in %.1f s, %.0f lines/s%s.",
          loaded,
          seconds,
          loaded / seconds,
          failed == 0 ? "" : "; " + failed + " lines failed");
    }
  }

  private record Failure(long line, Throwable cause) {}

  private final AsyncQuorateClient client;
  private final LineReader lines;
  private final OptionalLong size;
  private final ProgressLine progress;
  private final LoadWindow window = new LoadWindow(LINES_IN_FLIGHT_MAX, BYTES_IN_FLIGHT_MAX);
  private long loaded;
  private long failed;
  private Optional<Failure> firstFailure = Optional.empty();

  /**
   * @param size size of the input in bytes, if it is known
   */
  Load(AsyncQuorateClient client, LineReader lines, OptionalLong size, ProgressLine progress) {
    this.client = client;
    this.lines = lines;
    this.size = size;
    this.progress = progress;
  }

  /**
   * Writes the lines until the end of the input, or until a line is malformed or fails. Blocks
   * until all writes in flight have completed.
   */
  Report run() throws IOException, InterruptedException {
    long startNanos = System.nanoTime();
    Optional<String> malformed = Optional.empty();
    try {
      Optional<LineReader.Line> line = lines.next();
      while (line.isPresent() && !hasFailed()) {
        send(line.get());
        progress.show(() -> progressText(startNanos));
        line = lines.next();
      }
    } catch (LineReader.MalformedLineException e) {
      malformed = Optional.of(e.getMessage());
    } finally {
      window.awaitEmpty();
    }
    return report(malformed, Duration.ofNanos(System.nanoTime() - startNanos));
  }

  /** Describes the state after an interrupted load, in one sentence. Thread-safe. */
  synchronized String interruptionMessage() {
    return "Interrupted: "
        + loaded
        + " lines are loaded, others may be; loading the same file again is safe.";
  }

  private void send(LineReader.Line line) throws InterruptedException {
    Key key = Key.wrap(line.key());
    window.enter(key, (long) line.key().length + line.value().length);
    client
        .put(line.key(), line.value())
        .whenComplete(
            (position, failure) -> {
              settled(line.number(), Optional.ofNullable(failure).map(Failures::unwrap));
              window.leave(key);
            });
  }

  private synchronized void settled(long line, Optional<Throwable> failure) {
    if (failure.isEmpty()) {
      loaded++;
      return;
    }
    failed++;
    if (firstFailure.isEmpty() || line < firstFailure.get().line()) {
      firstFailure = Optional.of(new Failure(line, failure.get()));
    }
  }

  private synchronized boolean hasFailed() {
    return firstFailure.isPresent();
  }

  private synchronized Report report(Optional<String> malformed, Duration took) {
    if (firstFailure.isPresent()) {
      Failure first = firstFailure.get();
      ExitCode code =
          first.cause() instanceof QuorateException known
              ? ExitCode.of(known)
              : ExitCode.UNAVAILABLE;
      String problem = "Line " + first.line() + " failed: " + first.cause().getMessage();
      return new Report(loaded, failed, took, Optional.of(problem), code);
    }
    ExitCode code = malformed.isPresent() ? ExitCode.USAGE : ExitCode.OK;
    return new Report(loaded, failed, took, malformed, code);
  }

  private synchronized String progressText(long startNanos) {
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    String bar =
        size.isPresent() && size.getAsLong() > 0
            ? ProgressLine.bar((double) lines.bytesRead() / size.getAsLong(), BAR_WIDTH) + "  "
            : "";
    return String.format(Locale.ROOT, "%s%d lines  %.0f lines/s", bar, loaded, loaded / seconds);
  }
}
