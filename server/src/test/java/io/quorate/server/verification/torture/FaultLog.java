package io.quorate.server.verification.torture;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Writes down which fault was injected when, and counts them. Safe for use by many threads. */
final class FaultLog implements AutoCloseable {
  private final BufferedWriter to;
  private final Map<String, Counts> counts = new TreeMap<>();

  /**
   * @param injected how often it was injected
   * @param missed how often it could not be, since there was nobody to do it to or it failed
   */
  record Counts(long injected, long missed) {}

  FaultLog(Path file) throws IOException {
    to = Files.newBufferedWriter(file);
  }

  void injected(String fault, String description) {
    count(fault, new Counts(1, 0));
    note(fault + ": " + description);
  }

  void missed(String fault, String reason) {
    count(fault, new Counts(0, 1));
    note(fault + " not injected: " + reason);
  }

  synchronized void note(String sentence) {
    try {
      // The wall clock, since the logs of the nodes have it too.
      to.write(String.format(Locale.ROOT, "%s %s%n", Instant.now(), sentence));
      to.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void count(String fault, Counts one) {
    counts.merge(
        fault, one, (a, b) -> new Counts(a.injected() + b.injected(), a.missed() + b.missed()));
  }

  synchronized Map<String, Counts> counts() {
    return new TreeMap<>(counts);
  }

  @Override
  public synchronized void close() throws IOException {
    to.close();
  }
}
