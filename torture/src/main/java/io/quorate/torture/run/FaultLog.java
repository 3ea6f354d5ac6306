package io.quorate.torture.run;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Logs each injected fault with its time, and counts faults. Safe for use by many threads. */
final class FaultLog implements AutoCloseable {
  private final BufferedWriter writer;
  private final Map<String, Counts> counts = new TreeMap<>();

  /**
   * How often a fault was due.
   *
   * @param injected how often it was injected
   * @param missed how often it was not, because there was no suitable target or it failed
   */
  record Counts(long injected, long missed) {}

  FaultLog(Path file) throws IOException {
    writer = Files.newBufferedWriter(file);
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
      // Wall-clock time, to compare with the logs of the nodes.
      writer.write(String.format(Locale.ROOT, "%s %s%n", Instant.now(), sentence));
      writer.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private synchronized void count(String fault, Counts increment) {
    counts.merge(
        fault,
        increment,
        (a, b) -> new Counts(a.injected() + b.injected(), a.missed() + b.missed()));
  }

  synchronized Map<String, Counts> counts() {
    return new TreeMap<>(counts);
  }

  @Override
  public synchronized void close() throws IOException {
    writer.close();
  }
}
