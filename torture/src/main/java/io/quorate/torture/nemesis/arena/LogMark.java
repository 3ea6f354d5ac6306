package io.quorate.torture.nemesis.arena;

import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A place in the log of a node, to find what it has logged since.
 *
 * @param file the log, which begins anew when it is large
 * @param offset its size in bytes at that place
 */
public record LogMark(Path file, long offset) {
  public static LogMark endOf(NodeProcess node) throws IOException {
    return new LogMark(node.plan().logFile(), Files.size(node.plan().logFile()));
  }

  /** Blocks until the node has logged a text; returns whether it has within {@code timeout}. */
  public boolean awaitLine(String text, Duration timeout) throws InterruptedException {
    return Arena.await(() -> since().contains(text), timeout);
  }

  private String since() {
    try {
      byte[] log = Files.readAllBytes(file);
      int begin = log.length < offset ? 0 : (int) offset;
      return new String(log, begin, log.length - begin, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
