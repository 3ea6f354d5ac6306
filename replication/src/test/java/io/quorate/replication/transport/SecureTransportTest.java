package io.quorate.replication.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.quorate.consensus.KnownNodes.PeerSecurity;
import io.quorate.model.NodeId;
import io.quorate.protocol.tls.Authority;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.protocol.tls.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections between nodes that present certificates. */
class SecureTransportTest {
  @TempDir private Path root;
  private TransportNode n1;
  private TransportNode n2;

  @BeforeEach
  void create() throws IOException {
    n1 = new TransportNode("n1", root);
    n2 = new TransportNode("n2", root);
    n1.security = tls("authority", Kind.NODE, "n1");
  }

  @AfterEach
  void close() {
    n1.close();
    n2.close();
  }

  private Optional<PeerSecurity> tls(String authority, Kind kind, String name) throws IOException {
    Path target = root.resolve(authority + "-" + kind + "-" + name);
    Authority.in(root.resolve(authority)).sign(new CertificateName(kind, name), Set.of(), target);
    return Optional.of(Tls.load(target));
  }

  private void connect() throws IOException {
    n1.start();
    n2.start();
    n1.link(n2);
    n2.link(n1);
  }

  /** Both have tried several times, and neither takes the other for a node. */
  private void assertThatNeitherConnects() throws IOException {
    connect();
    await()
        .during(Duration.ofMillis(500))
        .atMost(Duration.ofSeconds(20))
        .until(() -> n1.transport.connected().isEmpty() && n2.transport.connected().isEmpty());
    assertThat(n1.connections).isEmpty();
    assertThat(n2.connections).isEmpty();
    assertThat(n1.identities.size()).isZero();
    assertThat(n2.identities.size()).isZero();
  }

  @Test
  void nodesWithCertificatesOfOneAuthorityConnect() throws Exception {
    n2.security = tls("authority", Kind.NODE, "n2");
    connect();
    await().until(() -> n1.transport.connected().contains(n2.id));
    await().until(() -> n2.transport.connected().contains(n1.id));
    // Sessions are resumed, which says all the same who the other end is.
    n2.close();
    await().until(() -> n1.transport.connected().isEmpty());
    n2.start();
    await().until(() -> n1.transport.connected().contains(n2.id));
    await().until(() -> n2.transport.connected().contains(n1.id));
  }

  @Test
  void aNodeIsWhoItsCertificateSays() throws IOException {
    n2.security = tls("authority", Kind.NODE, "n3");
    assertThatNeitherConnects();
  }

  @Test
  void aUserIsNotTheNodeOfTheSameName() throws IOException {
    n2.security = tls("authority", Kind.USER, "n2");
    assertThatNeitherConnects();
  }

  @Test
  void anotherAuthorityIsOfAnotherCluster() throws IOException {
    n2.security = tls("stranger", Kind.NODE, "n2");
    assertThatNeitherConnects();
  }

  @Test
  void whoHasNoCertificateLearnsNothing() throws Exception {
    n1.start();
    ByteBuf hello =
        RawPeer.hello("n2", UUID.randomUUID(), n1).greeting(UnpooledByteBufAllocator.DEFAULT);
    try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), n1.port())) {
      hello.readBytes(stranger.getOutputStream(), hello.readableBytes());
      stranger.setSoTimeout(10_000);
      // At most an alert of TLS.
      assertThat(stranger.getInputStream().readAllBytes()).hasSizeLessThan(8);
    } finally {
      hello.release();
    }
    assertThat(n1.identities.size()).isZero();
    n2.start();
    n2.link(n1);
    await()
        .during(Duration.ofMillis(500))
        .atMost(Duration.ofSeconds(20))
        .until(() -> !n2.transport.connected().contains(new NodeId("n1")));
  }
}
