package io.quorate.server.logging;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/**
 * Standard error as the output of log lines. Whatever reads it may stop: a file on a disk that
 * hangs, a pipe whose reader is stuck, the journal. An event loop that waited with it would end
 * heartbeats and elections, and a leader could not hand over. So lines wait in a queue, up to
 * {@value #LINES_MAX} of them and 8 MiB; further ones are dropped, and their number is logged when
 * the output accepts lines again.
 *
 * <p>Any thread. Does not take the lock of {@link System#err}.
 */
public final class StandardError {
  private static final int LINES_MAX = 10_000;
  private static final long BYTES_MAX = 8L << 20;

  /** How long the end of the process waits for the last lines. */
  private static final Duration END_WAIT_MAX = Duration.ofSeconds(2);

  private StandardError() {}

  /** Begins with the first line. */
  private static final class Holder {
    private static final LineQueue QUEUE =
        new LineQueue(
            new FileOutputStream(FileDescriptor.err), LINES_MAX, BYTES_MAX, StandardError::resumed);

    static {
      QUEUE.start();
    }

    private Holder() {}
  }

  static LineQueue queue() {
    return Holder.QUEUE;
  }

  /** The number of lines that this process has dropped. Does not block. */
  public static long dropped() {
    return queue().dropped();
  }

  /**
   * Blocks until all lines are written, for two seconds at most. To be called before the process
   * ends.
   */
  public static void flush() {
    queue().flush(END_WAIT_MAX);
  }

  private static void resumed(long lines) {
    LoggerFactory.getLogger(StandardError.class)
        .atWarn()
        .addKeyValue("lines", lines)
        .log("Lines of this log were dropped, because its output did not accept them");
  }
}
