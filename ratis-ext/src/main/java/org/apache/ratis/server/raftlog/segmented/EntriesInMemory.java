package org.apache.ratis.server.raftlog.segmented;

import java.util.Optional;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.raftlog.RaftLog;

/**
 * Entries of a log that Ratis has in memory, for those who must not wait for a file. Ratis 3.3.0
 * offers them to its own package only: every public method reads the file of an entry whose memory
 * has been freed.
 */
public final class EntriesInMemory {
  private EntriesInMemory() {}

  /** An entry; empty where there is none, or it is on disk alone. Any thread; does not block. */
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
