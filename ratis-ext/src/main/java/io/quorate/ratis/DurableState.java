package io.quorate.ratis;

import java.util.List;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.statemachine.SnapshotInfo;

/** The durable state as a snapshot of Ratis, without files of Ratis' own. */
record DurableState(TermIndex termIndex) implements SnapshotInfo {
  @Override
  public TermIndex getTermIndex() {
    return termIndex;
  }

  @Override
  public List<FileInfo> getFiles() {
    return List.of();
  }
}
