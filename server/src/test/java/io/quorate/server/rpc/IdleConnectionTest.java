package io.quorate.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.quorate.common.Budget;
import io.quorate.consensus.Command;
import io.quorate.consensus.MetricsSink;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.server.config.RpcConfig;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RpcLog;
import io.quorate.server.rpc.request.RpcMetrics;
import io.quorate.server.rpc.request.TrafficCounters;
import io.quorate.server.testing.RawClient;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections on which nothing happens for a long time, or ever again. */
class IdleConnectionTest {
  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
  private static final RpcConfig CONFIG =
      new RpcConfig(
          1,
          1,
          10,
          new RpcConfig.Timeouts(TEN_SECONDS, TEN_SECONDS, TEN_SECONDS, Duration.ofHours(1)),
          new RpcConfig.InFlight(10, 1000),
          new RpcConfig.InFlight(10, 1000),
          1000,
          TEN_SECONDS);

  private final ArrayDeque<Request> open = new ArrayDeque<>();
  private EmbeddedChannel channel;

  @BeforeEach
  void connect() {
    Budget budget = CONFIG.perConnection().newBudget();
    Budget control = new Budget(10, 1000);
    channel =
        new EmbeddedChannel(
            new FrameReader(
                100,
                TEN_SECONDS,
                new FrameReader.Budgets(
                    budget, new Budget(10, 1000), CONFIG.perNode().newBudget(), control)),
            new ClientConnection(
                Map.of(
                    Opcode.HELLO, request -> request.complete(new byte[0]), Opcode.GET, open::add),
                new ClientIdentity(Optional.empty(), Optional.empty()),
                CONFIG,
                new RpcMetrics(MetricsSink.NONE, new TrafficCounters()),
                new RpcLog(),
                Optional.empty(),
                Optional::empty,
                budget));
    channel.freezeTime();
    channel.writeInbound(Unpooled.buffer().writeInt(Preamble.current()));
    receive(Opcode.HELLO);
  }

  @AfterEach
  void disconnect() {
    channel.finishAndReleaseAll();
  }

  @Test
  void nothingIsProposedForAConnectionThatIsClosed() {
    receive(Opcode.GET);
    Command command = new Command(ByteBuffer.allocate(1), open.element().source(), 1);
    command.awaitBegin();
    channel.close();
    assertThat(command.begin()).isFalse();
  }

  private void receive(Opcode opcode) {
    channel.writeInbound(Unpooled.wrappedBuffer(RawClient.frame(1, opcode.code(), new byte[0])));
  }

  private void pass(Duration time) {
    channel.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }

  @Test
  void aConnectionWithoutRequestsIsClosed() {
    pass(ClientConnection.IDLE_TIME);
    assertThat(channel.isOpen()).as("it was used in this time").isTrue();
    pass(ClientConnection.IDLE_TIME);
    pass(TEN_SECONDS);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aConnectionThatIsUsedNowAndThenStays() {
    for (int i = 0; i < 10; i++) {
      pass(ClientConnection.IDLE_TIME.minusSeconds(1));
      receive(Opcode.HELLO);
    }
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void aConnectionStaysWhileARequestWaits() {
    receive(Opcode.GET);
    for (int i = 0; i < 5; i++) {
      pass(ClientConnection.IDLE_TIME);
    }
    assertThat(channel.isOpen()).isTrue();
    open.remove().complete(new byte[0]);
    channel.runPendingTasks();
    pass(ClientConnection.IDLE_TIME);
    assertThat(channel.isOpen()).as("the request was open in this time").isTrue();
    pass(ClientConnection.IDLE_TIME);
    pass(TEN_SECONDS);
    assertThat(channel.isOpen()).isFalse();
  }
}
