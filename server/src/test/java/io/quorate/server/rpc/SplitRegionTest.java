package io.quorate.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.common.Budget;
import io.quorate.consensus.Command;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Routing;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import io.quorate.server.access.Principal;
import io.quorate.server.config.ClusterId;
import io.quorate.server.rpc.request.DecodedFrame;
import io.quorate.server.rpc.request.Permit;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.rpc.request.RequestTimeouts;
import io.quorate.server.rpc.request.ResponseQueue;
import io.quorate.server.rpc.request.RpcMetrics;
import io.quorate.server.rpc.request.TrafficCounters;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyVersion;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A region has split on this node, and the topology that the node knows is from before that. */
class SplitRegionTest {
  private static final GroupId REGION = new GroupId(1);
  private static final NodeId SELF = new NodeId("n1");

  @TempDir Path directory;
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Budget budget = new Budget(10, 10_000);
  private final RequestTimeouts timeouts = new RequestTimeouts(Duration.ofMinutes(1));
  private final ServingState servingState = new ServingState();
  private final ClusterTopology topology =
      new ClusterTopology(
          new ClusterId("c"),
          SELF,
          List.of(),
          new ClusterTopology.Service(true, false, true, Optional.empty(), Optional.empty()));
  private final RegionLookup regionLookup = new RegionLookup(topology, servingState, false);
  private final WriteHandler writes =
      new WriteHandler(
          regionLookup,
          servingState,
          Limits.DEFAULT,
          1 << 20,
          timeouts,
          new BodyWrites(Runnable::run, Duration.ofMillis(1)));
  private Storage storage;
  private MemoryLog log;

  @BeforeEach
  void open() throws IOException {
    storage = Storage.open(directory, StorageOptions.DEFAULT, MetricsSink.NONE);
    RegionStore store = storage.region(REGION, KeyRange.ALL, Keyspace.DATA);
    store.open();
    log = new MemoryLog(store);
    RegionAssignment assignment =
        new RegionAssignment(REGION, KeyRange.ALL, RegionEpoch.FIRST, List.of(SELF));
    topology.learn(
        new StoredTopology(
            new ClusterId("c"),
            new UUID(0, 1),
            TopologyVersion.FIRST,
            List.of(),
            new RegionAssignment(
                RegionAssignment.METADATA, KeyRange.ALL, RegionEpoch.FIRST, List.of(SELF)),
            new RegionTable(List.of(assignment)),
            1));
    topology.host(new LocalReplica(assignment, log, store));
    servingState.serve();
  }

  @AfterEach
  void close() {
    timeouts.close();
    storage.close();
    channel.finishAndReleaseAll();
  }

  private void split() {
    Operation split = new Operation.Split(Key.utf8("m"), new GroupId(7));
    log.propose(new Command(new ClientCommand(RequestId.NONE, split).encoded()))
        .toCompletableFuture()
        .join();
  }

  private static Operation put(String key) {
    return new Operation.Put(Key.utf8(key), ByteBuffer.allocate(1));
  }

  private void write(Operation operation) {
    ByteBuf body = Unpooled.buffer();
    DataFrames.writeRouting(body, new Routing(1, 1, 60_000));
    body.writeBytes(new ClientCommand(RequestId.NONE, operation).encoded());
    Permit permit = Permit.tryAcquire(budget, new Budget(10, 10_000), 1).orElseThrow();
    Request request =
        new Request(
            new ResponseQueue(channel),
            new DecodedFrame.Complete(1, Opcode.WRITE, body, permit),
            new RpcMetrics(MetricsSink.NONE, new TrafficCounters()),
            Principal.ANYONE,
            Command.Source.NODE);
    try {
      writes.handle(request);
    } catch (RequestRejected rejection) {
      request.fail(rejection);
    }
    channel.runPendingTasks();
  }

  private void requireStale() throws IOException {
    ByteBuf frame = SentFrame.next(channel).orElseThrow();
    assertThat(frame.skipBytes(Long.BYTES).readByte()).isEqualTo((byte) Status.STALE_EPOCH.code());
    byte[] body = new byte[frame.readableBytes()];
    frame.readBytes(body).release();
    Failure failure = Failure.parseFrom(body);
    assertThat(failure.getMessage()).contains("has split");
    assertThat(failure.getTopology().getClusterId()).as("the whole topology").isEqualTo("c");
  }

  @Test
  void aWriteForAKeyThatHasLeftIsNotProposed() throws IOException {
    split();
    long before = log.index;
    write(put("z"));
    requireStale();
    write(new Operation.Batch(List.of((Operation.OnKey) put("a"), (Operation.OnKey) put("z"))));
    requireStale();
    assertThat(log.index).isEqualTo(before);
  }

  /** The split stands before it in the log, and was not applied when the write was accepted. */
  @Test
  void aWriteThatIsOrderedAfterTheSplitIsRejectedWithTheTopology() throws IOException {
    log.beforeNext = this::split;
    write(put("z"));
    requireStale();
    assertThat(log.index).as("it was proposed").isEqualTo(1);
  }

  /** Commits and applies each command at once. */
  private static final class MemoryLog implements ConsensusGroup {
    private final RegionStore store;
    private Runnable beforeNext = () -> {};
    private long index = -1;

    MemoryLog(RegionStore store) {
      this.store = store;
    }

    @Override
    public CompletionStage<ProposeResult> propose(Command command) {
      Runnable before = beforeNext;
      beforeNext = () -> {};
      before.run();
      Position position = new Position(1, ++index);
      CompletableFuture<ProposeResult> outcome = new CompletableFuture<>();
      store.committed(
          new CommittedBatch(
              position,
              List.of(command.payload()),
              (number, result) -> outcome.complete(new ProposeResult(position, result))));
      return CompletableFuture.completedFuture(outcome.join());
    }

    @Override
    public CompletionStage<Position> readIndex(Guarantee guarantee, KeyScope scope) {
      return CompletableFuture.completedFuture(new Position(1, index));
    }

    @Override
    public GroupStatus view() {
      return new GroupStatus(
          1, List.of(), Optional.of(SELF), true, new Position(1, index), false, false);
    }

    @Override
    public <T extends GroupControl> Optional<T> control(Class<T> type) {
      return Optional.empty();
    }

    @Override
    public void close() {}
  }
}
