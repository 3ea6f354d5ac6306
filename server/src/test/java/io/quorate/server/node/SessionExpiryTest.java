package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.consensus.Command;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.RequestId;
import io.quorate.server.testing.RawClient;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionExpiryTest {
  private static final Duration EXPIRY = Duration.ofHours(1);

  @TempDir private Path directory;
  private final AtomicLong nanos = new AtomicLong();

  private static void write(LocalReplica region, ClientId client) {
    RequestId tag = new RequestId(client, 1, 1);
    region
        .group()
        .propose(
            new Command(new ClientCommand(tag, RawClient.put("k", client.toString())).encoded()))
        .toCompletableFuture()
        .join();
  }

  private SessionExpiry expiry(MemoryNode node) {
    return new SessionExpiry(node.topology, EXPIRY, directory, nanos::get);
  }

  /** The clock of each process begins anywhere. */
  @Test
  void sessionsExpireThoughTheNodeRestartsMoreOftenThanTheyDo() throws IOException {
    RegionAssignment assignment =
        new RegionAssignment(
            new GroupId(1), KeyRange.ALL, RegionEpoch.FIRST, List.of(MemoryNode.SELF));
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.host(assignment);
      LocalReplica region = node.topology.hosted(assignment.id()).orElseThrow();
      write(region, new ClientId(1, 1));
      for (int process = 0; process < 2; process++) {
        nanos.set(process == 0 ? -7 : Long.MAX_VALUE / 3);
        SessionExpiry expiry = expiry(node);
        for (int minute = 0; minute < 50; minute++) {
          assertThat(region.store().sessionCount()).isEqualTo(1 + process);
          if (process == 1 && minute == 9) {
            break;
          }
          nanos.addAndGet(Duration.ofMinutes(1).toNanos());
          expiry.run();
        }
        write(region, new ClientId(2, 2));
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        expiry.run();
      }
      await().until(() -> region.store().sessionCount() == 1);
    }
  }

  @Test
  void aDamagedHistoryIsIgnored() throws IOException {
    Files.writeString(directory.resolve(HistoryFile.NAME), "ran 7\n1 x");
    try (MemoryNode node = new MemoryNode(directory)) {
      expiry(node).run();
    }
  }

  @Test
  void sessionsThatWereIdleForTheWholeExpiryAreRemoved() throws IOException {
    RegionAssignment assignment =
        new RegionAssignment(
            new GroupId(1), KeyRange.ALL, RegionEpoch.FIRST, List.of(MemoryNode.SELF));
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.host(assignment);
      LocalReplica region = node.topology.hosted(assignment.id()).orElseThrow();
      SessionExpiry expiry = expiry(node);
      write(region, new ClientId(1, 1));
      expiry.run();
      nanos.addAndGet(Duration.ofMinutes(59).toNanos());
      write(region, new ClientId(2, 2));
      expiry.run();
      assertThat(region.store().sessionCount()).isEqualTo(2);

      nanos.addAndGet(Duration.ofMinutes(2).toNanos());
      write(region, new ClientId(3, 3));
      expiry.run();
      await().until(() -> region.store().sessionCount() < 3);
      assertThat(region.store().sessionCount()).as("the two newer ones").isEqualTo(2);
    }
  }
}
