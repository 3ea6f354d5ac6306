package io.quorate.protocol.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslHandler;
import io.quorate.protocol.frame.AlteredRecord;
import io.quorate.protocol.tls.CertificateName.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AlteredRecordTest {
  @TempDir private static Path directory;

  private final List<Optional<String>> failures = new ArrayList<>();
  private EmbeddedChannel server;
  private EmbeddedChannel client;

  /** Records what ends a connection. */
  private final class Failures extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      failures.add(AlteredRecord.of(context, cause));
    }
  }

  private void connect(String authorityOfClient) throws IOException {
    Tls ofServer = tls("authority", "n1");
    Tls ofClient = tls(authorityOfClient, "n2");
    server = new EmbeddedChannel(new SslHandler(ofServer.accepting()), new Failures());
    client =
        new EmbeddedChannel(
            new SslHandler(ofClient.dialing(InetSocketAddress.createUnresolved("n1", 1))),
            new Failures());
    while (pass(client, server) | pass(server, client)) {
      server.runPendingTasks();
      client.runPendingTasks();
    }
  }

  private static Tls tls(String authority, String node) throws IOException {
    Path target = directory.resolve(authority + "-" + node);
    Authority.in(directory.resolve(authority))
        .sign(new CertificateName(Kind.NODE, node), Set.of(), target);
    return Tls.load(target);
  }

  private static boolean pass(EmbeddedChannel from, EmbeddedChannel to) {
    boolean any = false;
    for (ByteBuf sent = from.readOutbound(); sent != null; sent = from.readOutbound()) {
      any = to.isOpen();
      if (any) {
        to.writeInbound(sent);
      } else {
        sent.release();
      }
    }
    return any;
  }

  @AfterEach
  void close() {
    server.finishAndReleaseAll();
    client.finishAndReleaseAll();
  }

  @Test
  void aBitThatIsFlippedOnTheWayIsNoticed() throws IOException {
    connect("authority");
    client.writeOutbound(Unpooled.copiedBuffer(new byte[100]));
    ByteBuf sent = client.readOutbound();
    sent.setByte(sent.writerIndex() - 1, sent.getByte(sent.writerIndex() - 1) ^ 1);
    server.writeInbound(sent);
    pass(server, client);
    assertThat(failures).isNotEmpty().allMatch(Optional::isPresent);
  }

  @Test
  void aHeaderThatIsFlippedOnTheWayIsNoticed() throws IOException {
    connect("authority");
    client.writeOutbound(Unpooled.copiedBuffer(new byte[100]));
    ByteBuf sent = client.readOutbound();
    sent.setByte(0, sent.getByte(0) ^ 64);
    server.writeInbound(sent);
    assertThat(failures).hasSize(1).allMatch(Optional::isPresent);
  }

  @Test
  void aStrangerHasAlteredNothing() throws IOException {
    connect("authority");
    failures.clear();
    EmbeddedChannel strange =
        new EmbeddedChannel(new SslHandler(tls("authority", "n1").accepting()), new Failures());
    strange.writeInbound(Unpooled.copiedBuffer(new byte[100]));
    assertThat(failures).isNotEmpty().allMatch(Optional::isEmpty);
    strange.finishAndReleaseAll();
  }

  @Test
  void anotherAuthorityHasAlteredNothing() throws IOException {
    connect("other");
    assertThat(failures).isNotEmpty().allMatch(Optional::isEmpty);
  }
}
