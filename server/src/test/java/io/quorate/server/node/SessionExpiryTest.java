package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.RegionEpoch;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.TransportAddresses;
import io.quorate.operation.ClientCommand;
import io.quorate.operation.ClientId;
import io.quorate.operation.RequestId;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.testing.MemoryEngineProvider;
import io.quorate.server.testing.RawClient;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.storage.Storage;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionExpiryTest {
  private static final Duration EXPIRY = Duration.ofHours(1);
  private static final NodeId NODE = new NodeId("n1");

  @TempDir private Path directory;
  private final ClusterId cluster = new ClusterId("c");
  private final AtomicLong nanos = new AtomicLong();

  private EngineContext context() {
    return new EngineContext(
        cluster.uuid(),
        NODE,
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        new TransportAddresses(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), node -> Optional.empty()),
        directory.resolve("engine"),
        EngineSettings.defaults("memory"),
        MetricsSink.NONE,
        Optional.empty(),
        failure -> {
          throw failure;
        });
  }

  private static void write(LocalReplica region, ClientId client) {
    RequestId tag = new RequestId(client, 1, 1);
    region
        .group()
        .propose(
            new Command(new ClientCommand(tag, RawClient.put("k", client.toString())).encoded()))
        .toCompletableFuture()
        .join();
  }

  @Test
  void sessionsThatWereIdleForTheWholeExpiryAreRemoved() throws IOException {
    ClusterNode address = new ClusterNode(NODE, "localhost", 1, 2, 3, 4);
    ClusterTopology topology =
        new ClusterTopology(
            cluster,
            NODE,
            List.of(address),
            new ClusterTopology.Service(true, false, true, Optional.empty(), Optional.empty()));
    RegionAssignment assignment =
        new RegionAssignment(new GroupId(1), KeyRange.ALL, RegionEpoch.FIRST, List.of(NODE));
    try (Storage storage =
            Storage.open(directory.resolve("storage"), StorageOptions.DEFAULT, MetricsSink.NONE);
        ConsensusEngine engine = new MemoryEngineProvider().start(context())) {
      LocalReplica region =
          new ReplicaManager(storage, engine, topology, MetricsSink.NONE).open(assignment);
      SessionExpiry expiry = new SessionExpiry(topology, EXPIRY, nanos::get);
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
