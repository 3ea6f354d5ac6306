package io.quorate.torture.testbed.disk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.localcluster.Ports;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class DisksTest {
  private static final NodeId NODE = new NodeId("n1");
  private static final Duration STALL_MAX = Duration.ofSeconds(60);

  @TempDir private Path directory;
  private Disks disks;
  private NodeDisk disk;
  private Path data;

  @BeforeEach
  void mount() throws IOException {
    Disks.obstacle().ifPresent(reason -> Assumptions.abort("No disks here: " + reason));
    ClusterPlan plan =
        ClusterPlan.of(directory, "disks", new Shape(1, 1, "raft"), new Ports.Free());
    disks = Disks.of(plan);
    disk = disks.of(NODE);
    data = plan.nodes().get(0).dataDirectory();
  }

  @AfterEach
  void unmount() throws IOException {
    if (disks != null) {
      disks.close();
      assertThat(Mounts.isMounted(data)).isFalse();
    }
  }

  @Test
  void aPowerLossKeepsOnlySyncedFiles() throws IOException {
    write("synced", "kept", true);
    write("not-synced", "lost", false);

    disk.cutPower();

    assertThatThrownBy(() -> write("later", "x", true)).isInstanceOf(IOException.class);
    disk.restorePower();
    assertThat(data.resolve("synced")).hasContent("kept");
    assertThat(data.resolve("not-synced")).doesNotExist();
  }

  @Test
  void bytesAppendedAfterTheLastSyncAreLost() throws IOException {
    write("log", "first", true);
    try (FileChannel channel = FileChannel.open(data.resolve("log"), StandardOpenOption.APPEND)) {
      channel.write(ByteBuffer.wrap("second".getBytes(UTF_8)));

      disk.cutPower();
    }
    disk.restorePower();
    assertThat(data.resolve("log")).hasContent("first");
  }

  @Test
  void aFullDiskRejectsWritesUntilSpaceIsFreed() throws IOException {
    Path filler = disk.fill(0);

    assertThat(disk.freeBytes()).isLessThan(4L << 20);
    assertThatThrownBy(() -> write("much", "x".repeat(8 << 20), true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No space left");
    Files.delete(filler);
    write("much", "x".repeat(8 << 20), true);
  }

  @Test
  void fillingLeavesTheRequestedSpace() throws IOException {
    disk.fill(100 << 20);

    assertThat(disk.freeBytes()).isBetween(90L << 20, 110L << 20);
  }

  @Test
  void aStalledDiskBlocksWritersUntilItIsThawed() throws IOException {
    disk.stall(STALL_MAX);
    CompletableFuture<Void> writing = CompletableFuture.runAsync(this::writeSomething);
    assertThat(writing.copy().completeOnTimeout(null, 300, TimeUnit.MILLISECONDS).join()).isNull();
    assertThat(writing).isNotDone();

    disk.thaw();

    await().until(writing::isDone);
    assertThat(data.resolve("something")).hasContent("x");
  }

  @Test
  void aStallEndsByItself() throws IOException {
    disk.stall(Duration.ofMillis(300));

    writeSomething();

    await().until(() -> !disk.isStalling());
    assertThat(data.resolve("something")).hasContent("x");
  }

  @Test
  void aSlowDiskLetsWritesThroughPeriodically() throws IOException {
    disk.slowDown(Duration.ofMillis(100), Duration.ofMillis(30), STALL_MAX);

    for (int i = 0; i < 5; i++) {
      write("slow-" + i, "x", true);
    }

    assertThat(disk.isStalling()).isTrue();
    assertThat(data.resolve("slow-4")).hasContent("x");
  }

  @Test
  void closingThawsAndUnmounts() throws IOException {
    disk.stall(STALL_MAX);

    disks.close();

    assertThat(Mounts.isMounted(data)).isFalse();
    assertThatThrownBy(() -> disk.cutPower()).isInstanceOf(IOException.class);
  }

  @Test
  void mountsOfAKilledHarnessAreRemoved() throws IOException {
    Path left = directory.resolve("left");
    NodeDisk abandoned = new NodeDisk(directory.resolve(Mounts.IMAGE_NAME), left);
    try (FileChannel lock = Mounts.lock(directory)) {
      abandoned.make();
      abandoned.stall(STALL_MAX);
      assertThat(lock.isOpen()).isTrue();
    }

    Mounts.sweep();

    assertThat(Mounts.isMounted(left)).isFalse();
    assertThat(Mounts.isMounted(data)).isTrue();
  }

  private void writeSomething() {
    try {
      write("something", "x", true);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void write(String name, String text, boolean sync) throws IOException {
    try (FileChannel channel =
        FileChannel.open(data.resolve(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      if (sync) {
        channel.force(true);
      }
    }
  }
}
