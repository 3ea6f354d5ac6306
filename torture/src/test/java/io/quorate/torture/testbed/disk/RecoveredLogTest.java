package io.quorate.torture.testbed.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.DurableEnd;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.replication.log.GroupLog;
import io.quorate.replication.log.GroupLogEvents;
import io.quorate.replication.log.SharedLog;
import io.quorate.replication.log.SharedLogSettings;
import io.quorate.replication.log.segment.LogOwner;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log that one process left unsynced, and that the next process has opened. */
@Timeout(120)
class RecoveredLogTest {
  private static final GroupId GROUP = new GroupId(1);
  private static final LogOwner OWNER = new LogOwner(new UUID(1, 2), new NodeId("n1"));
  private static final int ENTRIES = 100;
  private static final GroupLogEvents NOT_TOLD =
      new GroupLogEvents() {
        @Override
        public void durable(long through) {}

        @Override
        public void failed(IOException cause) {
          throw new IllegalStateException(cause);
        }
      };

  @TempDir private Path directory;
  private Disks disks;
  private NodeDisk disk;
  private Path data;

  @BeforeEach
  void mount() throws IOException {
    Disks.obstacle().ifPresent(reason -> Assumptions.abort("No disks here: " + reason));
    ClusterPlan plan =
        ClusterPlan.of(directory, "recovered", new Shape(1, 1, "raft"), new Ports.Free());
    disks = Disks.of(plan);
    disk = disks.of(new NodeId("n1"));
    data = plan.nodes().get(0).dataDirectory();
  }

  @AfterEach
  void unmount() throws IOException {
    if (disks != null) {
      disks.close();
    }
  }

  /** Whoever opens it counts what it reads as durable. */
  @Test
  void survivesALaterPowerLoss() throws IOException {
    Path elsewhere = directory.resolve("elsewhere");
    try (SharedLog log = open(elsewhere)) {
      GroupLog group = log.create(GROUP, 0, Runnable::run, NOT_TOLD);
      for (int index = 0; index < ENTRIES; index++) {
        group.appendEntry(new Position(1, index), new byte[] {(byte) index}, null);
      }
    }
    Files.createDirectories(data.resolve("log"));
    Files.copy(DurableEnd.file(elsewhere), DurableEnd.file(data));
    try (Stream<Path> files = Files.list(elsewhere.resolve("log"))) {
      for (Path file : files.toList()) {
        Files.copy(file, data.resolve("log").resolve(file.getFileName()));
      }
    }

    open(data).close();
    disk.cutPower();
    disk.restorePower();

    try (SharedLog log = open(data)) {
      GroupLog group = log.open(GROUP, Runnable::run, NOT_TOLD).orElseThrow();
      for (int index = 0; index < ENTRIES; index++) {
        assertThat(group.entry(index)).contains(new byte[] {(byte) index});
      }
    }
  }

  private static SharedLog open(Path parent) throws IOException {
    return SharedLog.open(parent.resolve("log"), parent, OWNER, SharedLogSettings.DEFAULT);
  }
}
