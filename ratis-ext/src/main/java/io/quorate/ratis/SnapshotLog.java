package io.quorate.ratis;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.replication.snapshot.SnapshotSender;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs the events of a group's snapshots. */
record SnapshotLog(GroupId group) implements SnapshotSender.Events {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotLog.class);

  @Override
  public void exported(UUID snapshot, String replica, Position position, int files) {
    LOG.info(
        "Exported a snapshot region={} snapshot={} replica={} position={} files={}",
        group,
        snapshot,
        replica,
        position,
        files);
  }

  @Override
  public void notDeleted(Path directory, IOException exception) {
    LOG.warn("Could not delete a snapshot region={} directory={}", group, directory, exception);
  }
}
