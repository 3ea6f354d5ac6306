package io.quorate.replication.transport;

import static org.awaitility.Awaitility.await;

import io.quorate.common.LoopbackPorts;
import io.quorate.consensus.Member;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A peer is found wherever it may be. */
@Timeout(60)
class MovedPeerTest {
  @TempDir private Path root;

  private TransportNode n1;
  private TransportNode n2;

  @BeforeEach
  void start() throws IOException {
    n1 = new TransportNode("n1", root).start();
    n2 = new TransportNode("n2", root).start();
  }

  @AfterEach
  void stop() {
    n1.close();
    n2.close();
  }

  private static InetSocketAddress nothing() {
    return InetSocketAddress.createUnresolved("127.0.0.1", LoopbackPorts.next());
  }

  @Test
  void atTheAddressThatTheClusterHasRegistered() {
    n1.known.put(n2.id, List.of(nothing(), n2.member().address()));
    n1.transport().link(new Member(n2.id, nothing()));
    await().until(() -> n1.isConnectedTo(n2));
  }

  @Test
  void atTheAddressWithWhichItWasLinked() {
    n1.known.put(n2.id, List.of(nothing()));
    n1.link(n2);
    await().until(() -> n1.isConnectedTo(n2));
  }

  @Test
  void atAnAddressThatIsRegisteredLater() {
    n1.transport().link(new Member(n2.id, nothing()));
    n1.known.put(n2.id, List.of(n2.member().address()));
    await().until(() -> n1.isConnectedTo(n2));
  }

  /** Another node has the former address of the peer by now. */
  @Test
  void althoughAnotherNodeIsAtItsFormerAddress() throws IOException {
    try (TransportNode n3 = new TransportNode("n3", root).start()) {
      n1.known.put(n2.id, List.of(n3.member().address(), n2.member().address()));
      n1.transport().link(new Member(n2.id, n3.member().address()));
      await().until(() -> n1.isConnectedTo(n2));
    }
  }
}
