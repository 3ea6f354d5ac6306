package io.quorate.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.protobuf.InvalidProtocolBufferException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import io.quorate.common.Budget;
import io.quorate.consensus.MetricsSink;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.AccessRules;
import io.quorate.protocol.wire.v1.Authenticate;
import io.quorate.protocol.wire.v1.Failure;
import io.quorate.server.access.AccessState;
import io.quorate.server.access.AuditLog;
import io.quorate.server.access.FailedLogins;
import io.quorate.server.access.NodeSecurity;
import io.quorate.server.config.RpcConfig;
import io.quorate.server.rpc.request.RpcLog;
import io.quorate.server.rpc.request.RpcMetrics;
import io.quorate.server.rpc.request.TrafficCounters;
import io.quorate.server.testing.RawClient;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Clients that have not shown who they are. */
class StrangersTest {
  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);
  private static final RpcConfig CONFIG =
      new RpcConfig(
          1,
          1,
          10,
          new RpcConfig.Timeouts(TEN_SECONDS, TEN_SECONDS, TEN_SECONDS, Duration.ofHours(1)),
          new RpcConfig.InFlight(100, 10_000),
          new RpcConfig.InFlight(100, 10_000),
          1000,
          TEN_SECONDS);

  private final AccessState access = new AccessState();
  private final NodeSecurity security =
      new NodeSecurity(null, access, new FailedLogins(System::nanoTime));
  private final List<EmbeddedChannel> channels = new ArrayList<>();

  private EmbeddedChannel connect() throws NoSuchAlgorithmException {
    SslHandler withoutCertificate = new SslHandler(SSLContext.getDefault().createSSLEngine());
    Budget budget = CONFIG.perConnection().newBudget();
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new FrameReader(
                1000,
                TEN_SECONDS,
                new FrameReader.Budgets(
                    budget,
                    new Budget(100, 10_000),
                    CONFIG.perNode().newBudget(),
                    new Budget(100, 10_000))),
            new ClientConnection(
                Map.of(),
                new ClientIdentity(Optional.of(security), Optional.of(withoutCertificate)),
                CONFIG,
                new RpcMetrics(MetricsSink.NONE, new TrafficCounters()),
                new RpcLog(),
                Optional.empty(),
                Optional::empty,
                budget));
    channels.add(channel);
    channel.writeInbound(Unpooled.buffer().writeInt(Preamble.current()));
    return channel;
  }

  @AfterEach
  void disconnect() {
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
  }

  private static void send(EmbeddedChannel channel, Opcode opcode, byte[] body) {
    channel.writeInbound(Unpooled.wrappedBuffer(RawClient.frame(1, opcode.code(), body)));
  }

  private static byte[] authenticate(String message) {
    return Authenticate.newBuilder().setMessage(message).build().toByteArray();
  }

  private record Response(Status status, byte[] body) {}

  private static Response response(EmbeddedChannel channel) {
    ByteBuf frame = SentFrame.next(channel).orElseThrow();
    try {
      Status status = Status.of(frame.getByte(Long.BYTES)).orElseThrow();
      frame.skipBytes(Frames.HEADER_BYTES);
      return new Response(status, ByteBufUtil.getBytes(frame));
    } finally {
      frame.release();
    }
  }

  /** One for each request would let a stranger fill a disk. */
  @Test
  void requestsOfOperatorsThatAreNotServedAreNotAudited() throws NoSuchAlgorithmException {
    Logger audit = (Logger) LoggerFactory.getLogger(AuditLog.NAME);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    audit.addAppender(lines);
    audit.setLevel(Level.INFO);
    try {
      EmbeddedChannel channel = connect();
      for (int i = 0; i < 50; i++) {
        send(channel, Opcode.CHANGE_ACCESS, new byte[0]);
      }
      assertThat(response(channel).status()).isEqualTo(Status.INVALID);
      assertThat(lines.list).isEmpty();
    } finally {
      audit.setLevel(null);
      audit.detachAppender(lines);
    }
  }

  /** All of them have begun before the first one fails. */
  @Test
  void attemptsOfManyConnectionsAreBoundedTogether()
      throws NoSuchAlgorithmException, InvalidProtocolBufferException {
    access.learn(
        io.quorate.server.access.AccessRules.of(AccessRules.newBuilder().setVersion(1).build()));
    int bound = 10;
    List<EmbeddedChannel> begun = new ArrayList<>();
    List<String> nonces = new ArrayList<>();
    for (int i = 0; i < bound + 3; i++) {
      EmbeddedChannel channel = connect();
      send(channel, Opcode.AUTHENTICATE, authenticate("n,,n=al,r=x"));
      String first = Authenticate.parseFrom(response(channel).body()).getMessage();
      begun.add(channel);
      nonces.add(first.substring(0, first.indexOf(',')));
    }
    String proof = Base64.getEncoder().encodeToString(new byte[32]);
    int checked = 0;
    for (int i = 0; i < begun.size(); i++) {
      send(
          begun.get(i),
          Opcode.AUTHENTICATE,
          authenticate("c=biws," + nonces.get(i) + ",p=" + proof));
      Response response = response(begun.get(i));
      assertThat(response.status()).isEqualTo(Status.DENIED);
      String message = Failure.parseFrom(response.body()).getMessage();
      checked += message.startsWith("Too many attempts") ? 0 : 1;
    }
    assertThat(checked).isEqualTo(bound);
  }
}
