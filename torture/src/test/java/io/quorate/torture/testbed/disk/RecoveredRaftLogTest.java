package io.quorate.torture.testbed.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.model.NodeId;
import io.quorate.ratis.patches.LogVerifier;
import io.quorate.ratis.patches.VoteFile;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Ports;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLogOutputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A Raft log that one process left unsynced, and that the next process has opened. */
@Timeout(120)
class RecoveredRaftLogTest {
  private static final int ENTRY_BYTES_MAX = 1 << 20;
  private static final String REPLICA = "n1@group";

  @TempDir private Path directory;
  private Disks disks;
  private NodeDisk disk;
  private Path log;

  @BeforeEach
  void mount() throws IOException {
    Disks.obstacle().ifPresent(reason -> Assumptions.abort("No disks here: " + reason));
    ClusterPlan plan =
        ClusterPlan.of(directory, "recovered", new Shape(1, 1, "raft"), new Ports.Free());
    disks = Disks.of(plan);
    disk = disks.of(new NodeId("n1"));
    log = plan.nodes().get(0).dataDirectory().resolve("current");
  }

  @AfterEach
  void unmount() throws IOException {
    if (disks != null) {
      disks.close();
    }
  }

  /** Ratis counts every entry that it reads as flushed. */
  @Test
  void survivesALaterPowerLoss() throws IOException {
    byte[] written = Files.readAllBytes(writeOnAnotherDisk());
    Files.createDirectories(log);
    Path open = Files.write(log.resolve("log_inprogress_0"), written);
    Path elsewhere = directory.resolve("group").resolve("current");
    VoteFile.begin(elsewhere, REPLICA, 3);
    byte[] voted = Files.readAllBytes(VoteFile.in(elsewhere));
    Path vote = Files.write(VoteFile.in(log), voted);

    VoteFile.inspect(log, REPLICA);
    new LogVerifier(ENTRY_BYTES_MAX).inspect(log, 0);
    awaitUnmapped(open);
    disk.cutPower();
    disk.restorePower();

    assertThat(open).exists().hasBinaryContent(written);
    assertThat(vote).exists().hasBinaryContent(voted);
  }

  /** A file is mapped until the mapping is collected, and keeps its file system busy. */
  private static void awaitUnmapped(Path file) {
    await()
        .until(
            () -> {
              System.gc();
              return !Files.readString(Path.of("/proc/self/maps")).contains(file.toString());
            });
  }

  private Path writeOnAnotherDisk() throws IOException {
    Path file = directory.resolve("log_inprogress_0");
    try (SegmentedRaftLogOutputStream out =
        new SegmentedRaftLogOutputStream(
            file.toFile(), false, 1 << 20, 8 << 10, ByteBuffer.allocateDirect(ENTRY_BYTES_MAX))) {
      for (int index = 0; index < 100; index++) {
        out.write(
            LogEntryProto.newBuilder()
                .setTerm(1)
                .setIndex(index)
                .setStateMachineLogEntry(
                    StateMachineLogEntryProto.newBuilder()
                        .setLogData(ByteString.copyFromUtf8("entry " + index)))
                .build());
      }
    }
    return file;
  }
}
