package io.quorate.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalChannel;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.common.Budget;
import io.quorate.consensus.Command;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Routing;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Failure;
import io.quorate.server.access.Principal;
import io.quorate.server.config.ClusterId;
import io.quorate.server.rpc.request.DecodedFrame;
import io.quorate.server.rpc.request.Permit;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestTimeouts;
import io.quorate.server.rpc.request.ResponseQueue;
import io.quorate.server.rpc.request.RpcMetrics;
import io.quorate.server.rpc.request.TrafficCounters;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionLoad;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.read.OutOfRangeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The event loop reads values that are in memory; a reader thread reads all others. */
class ReadExecutorTest {
  private static final GroupId REGION = new GroupId(1);
  private static final Routing ROUTING = new Routing(REGION.value(), 1, 60_000);

  @TempDir Path directory;

  /** The tasks of the reader threads; none runs until the test runs it. */
  private final Queue<Runnable> readers = new ArrayDeque<>();

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Budget budget = new Budget(10, 10_000);
  private final RequestTimeouts timeouts = new RequestTimeouts(Duration.ofMinutes(1));
  private final ReadExecutor reads = executor(true, false);
  private Storage storage;
  private LocalReplica replica;

  private ReadExecutor executor(boolean leadersOnly, boolean replicasRead) {
    ClusterTopology topology =
        new ClusterTopology(
            new ClusterId("c"),
            new NodeId("n1"),
            List.of(),
            new ClusterTopology.Service(
                leadersOnly, replicasRead, true, Optional.empty(), Optional.empty()));
    return new ReadExecutor(
        new RegionLookup(topology, new ServingState(), false),
        (group, guarantee, scope) -> CompletableFuture.completedFuture(Position.NONE),
        timeouts,
        readers::add,
        Duration.ofMillis(1));
  }

  @BeforeEach
  void open() throws IOException {
    storage = Storage.open(directory, StorageOptions.DEFAULT, MetricsSink.NONE);
    RegionStore store = storage.region(REGION, KeyRange.ALL, Keyspace.DATA);
    store.open();
    RegionAssignment assignment =
        new RegionAssignment(REGION, KeyRange.ALL, RegionEpoch.FIRST, List.of(new NodeId("n1")));
    replica = new LocalReplica(assignment, null, Optional.empty(), store, new RegionLoad());
  }

  @AfterEach
  void close() {
    timeouts.close();
    storage.close();
    channel.finishAndReleaseAll();
  }

  private record Reader(Request request, boolean cached)
      implements ReadExecutor.CachedReader<Position> {
    @Override
    public ByteBuf read(Position result) {
      return request.begin(1).writeByte('r');
    }

    @Override
    public Optional<ByteBuf> readCached(Position result) {
      return cached ? Optional.of(request.begin(1).writeByte('c')) : Optional.empty();
    }
  }

  private void serve(boolean cached) {
    Request request = request(channel);
    serve(request, CompletableFuture.completedFuture(Position.NONE), new Reader(request, cached));
    channel.runPendingTasks();
  }

  private Request request(Channel to) {
    Permit permit = Permit.tryAcquire(budget, new Budget(10, 10_000), 1).orElseThrow();
    return new Request(
        new ResponseQueue(to),
        new DecodedFrame.Complete(1, Opcode.GET, Unpooled.EMPTY_BUFFER, permit),
        new RpcMetrics(MetricsSink.NONE, new TrafficCounters()),
        Principal.ANYONE,
        Command.Source.NODE);
  }

  private void serve(
      Request request,
      CompletableFuture<Position> readIndex,
      ReadExecutor.Reader<Position> reader) {
    reads.serve(request, ROUTING, replica, () -> readIndex, Function.identity(), reader);
  }

  /** The last byte of the next response; empty if there is none. */
  private Optional<Character> response() {
    return SentFrame.next(channel)
        .map(
            frame -> {
              char last = (char) frame.getByte(frame.writerIndex() - 1);
              frame.release();
              return last;
            });
  }

  @Test
  void aValueInMemoryDoesNotWaitForReaderThreads() {
    serve(true);

    assertThat(readers).isEmpty();
    assertThat(response()).contains('c');
    assertThat(budget.requests()).isZero();
  }

  @Test
  void aValueThatIsNotInMemoryIsReadByAReaderThread() {
    serve(false);
    assertThat(response()).isEmpty();

    readers.remove().run();
    channel.runPendingTasks();
    assertThat(response()).contains('r');
    assertThat(budget.requests()).isZero();
  }

  /** The key was in the range when the request arrived, and is not when it is read. */
  @Test
  void aReadOfAKeyThatHasLeftItsRegionIsRejectedWithTheTopology() throws IOException {
    serve(
        request(channel),
        CompletableFuture.completedFuture(Position.NONE),
        position -> {
          throw new OutOfRangeException(REGION, KeyRange.ALL, "k");
        });
    readers.remove().run();
    channel.runPendingTasks();
    assertThat(failure(Status.STALE_EPOCH).getTopology().getClusterId()).isEqualTo("c");
    assertThat(budget.requests()).isZero();
  }

  /** The next response. */
  private Failure failure(Status expected) throws IOException {
    ByteBuf frame = SentFrame.next(channel).orElseThrow();
    assertThat(frame.skipBytes(Long.BYTES).readByte()).isEqualTo((byte) expected.code());
    byte[] body = new byte[frame.readableBytes()];
    frame.readBytes(body).release();
    return Failure.parseFrom(body);
  }

  @Test
  void aReadOfRowsThatCannotBeReadGoesToAnotherReplicaWhereAnyServesReads() throws IOException {
    assertThat(isSentElsewhere(executor(true, false))).isFalse();
    assertThat(isSentElsewhere(executor(true, true))).isTrue();
    assertThat(isSentElsewhere(executor(false, true))).isTrue();
  }

  private boolean isSentElsewhere(ReadExecutor executor) throws IOException {
    executor.serve(
        request(channel),
        ROUTING,
        replica,
        () -> CompletableFuture.completedFuture(Position.NONE),
        Function.identity(),
        position -> {
          throw new UncheckedIOException(new IOException("a block is damaged"));
        });
    readers.remove().run();
    channel.runPendingTasks();
    Failure failure = failure(Status.UNAVAILABLE);
    assertThat(failure.getMessage()).contains("a block is damaged");
    return failure.getElsewhere();
  }

  /** Records the thread that reads. */
  private record RecordingReader(Request request, CompletableFuture<Thread> thread)
      implements ReadExecutor.CachedReader<Position> {
    @Override
    public ByteBuf read(Position result) {
      throw new AssertionError("The value is in memory.");
    }

    @Override
    public Optional<ByteBuf> readCached(Position result) {
      thread.complete(Thread.currentThread());
      return Optional.of(request.begin(0));
    }
  }

  /** A read whose read index the test completes, on a connection of this event loop. */
  private final class PendingRead {
    private final CompletableFuture<Position> readIndex = new CompletableFuture<>();
    private final CompletableFuture<Thread> thread = new CompletableFuture<>();

    private PendingRead(EventLoop loop) throws InterruptedException {
      LocalChannel connection = new LocalChannel();
      loop.register(connection).sync();
      Request request = request(connection);
      serve(request, readIndex, new RecordingReader(request, thread));
    }
  }

  @Test
  void aReadIndexFromAnotherThreadIsReadOnTheEventLoop() throws Exception {
    EventLoop loop = new DefaultEventLoop();
    PendingRead read = new PendingRead(loop);

    read.readIndex.complete(Position.NONE);
    assertThat(loop.inEventLoop(read.thread.get(30, TimeUnit.SECONDS))).isTrue();
    await().until(() -> budget.requests() == 0);
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
  }

  @Test
  void aReadWhoseEventLoopHasStoppedReleasesItsBudget() throws Exception {
    EventLoop loop = new DefaultEventLoop();
    PendingRead read = new PendingRead(loop);
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();

    read.readIndex.complete(Position.NONE);
    assertThat(budget.requests()).isZero();
    assertThat(read.thread).isNotDone();
    assertThat(readers).isEmpty();
  }
}
