package io.quorate.benchmarks.cluster;

import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.util.ArrayList;
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
   * Blocks until the disks are idle, but at most for a minute.
   *
   * @return the last reading, one for each node
   * @throws IOException if a node does not run, or the system does not report its writes
   */
  public static List<DiskUse> await(List<NodeProcess> nodes)
      throws IOException, InterruptedException {
    List<DiskUse> last = read(nodes);
    int idle = 0;
    for (int poll = 0; poll < POLLS_MAX && idle < IDLE_POLLS; poll++) {
      // Nodes notify of no end of their work.
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      List<DiskUse> now = read(nodes);
      idle = isIdle(last, now) ? idle + 1 : 0;
      last = now;
    }
    return last;
  }

  private static List<DiskUse> read(List<NodeProcess> nodes) throws IOException {
    List<DiskUse> disks = new ArrayList<>();
    for (NodeProcess node : nodes) {
      disks.add(DiskUse.of(node));
    }
    return disks;
  }

  /** Whether the nodes have hardly changed their disks between the two readings. */
  static boolean isIdle(List<DiskUse> before, List<DiskUse> after) {
    long changed = 0;
    for (int i = 0; i < before.size(); i++) {
      changed += Math.abs(after.get(i).writtenBytes() - before.get(i).writtenBytes());
      changed += Math.abs(after.get(i).storedBytes() - before.get(i).storedBytes());
    }
    return changed <= IDLE_BYTES_MAX;
  }
}
