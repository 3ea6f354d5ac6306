package org.apache.ratis.server.raftlog.segmented;

import java.util.Optional;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.raftlog.RaftLog;

/**
 * Log entries that Ratis has in memory, for callers that must not wait for a file. Ratis 3.3.0
 * offers them to its own package only: every public method reads the file of an entry that was
 * evicted from memory.
 *
 * <p>Upstream: not reported. Fails without it: {@code RatisEngineTest}. Can go when Ratis has a
 * public method for this.
 */
public final class EntriesInMemory {
  private EntriesInMemory() {}

  /** An entry; empty if there is none, or if it is only on disk. Any thread; does not block. */
  public static Optional<LogEntryProto> get(RaftLog log, long index) {
    LogSegment segment = ((SegmentedRaftLog) log).getRaftLogCache().getSegment(index);
    if (segment == null) {
      return Optional.empty();
    }
    LogSegment.LogRecord record = segment.getLogRecord(index);
    return record == null
        ? Optional.empty()
        : Optional.ofNullable(segment.getEntryFromCache(record.getTermIndex()));
  }
}
