package io.quorate.benchmarks.cluster;

import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Waits until nodes have finished the work on their disks that follows their responses, such as
 * flushes, compactions and the truncation of the log.
 */
public final class IdleDisks {
  private static final long POLL_MILLIS = 1000;

  /** Longer than the intervals at which nodes flush and truncate, where this is measured. */
  private static final int IDLE_POLLS = 3;

  private static final int POLLS_MAX = 60;

  /** Idle nodes write a little, such as lines of RocksDB's own log. */
  private static final long IDLE_BYTES_MAX = 256 << 10;

  private IdleDisks() {}

  /**
   * Blocks until the disks are idle, but at most for a minute: other programs may write to them.
   *
   * @return the last reading
   * @throws IOException if a data directory cannot be read
   */
  public static DiskUse await(List<NodeProcess> nodes) throws IOException, InterruptedException {
    DiskUse last = DiskUse.of(nodes);
    int idle = 0;
    for (int poll = 0; poll < POLLS_MAX && idle < IDLE_POLLS; poll++) {
      // Nodes notify of no end of their work.
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      DiskUse now = DiskUse.of(nodes);
      idle = isIdle(last, now) ? idle + 1 : 0;
      last = now;
    }
    return last;
  }

  /** Whether the disks have hardly changed between the two readings. */
  static boolean isIdle(DiskUse before, DiskUse after) {
    long changed = after.writtenBytes() - before.writtenBytes();
    for (int i = 0; i < before.storedBytes().size(); i++) {
      changed += Math.abs(after.storedBytes().get(i) - before.storedBytes().get(i));
    }
    return changed <= IDLE_BYTES_MAX;
  }
}
