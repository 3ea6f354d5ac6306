package io.quorate.replication.transport;

import static io.quorate.replication.transport.TransportNode.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.Starts;
import io.quorate.replication.transport.handshake.LocalIdentity;
import io.quorate.replication.transport.handshake.PeerIdentities;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that has an older copy of its disk is refused, by whichever end dials, and learns it. */
class OutdatedDiskTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Starts COPIED = Starts.NONE.next(1).next(2);

  @TempDir Path root;

  private TransportNode n1;
  private TransportNode n2;

  @BeforeEach
  void createNodes() throws IOException {
    n1 = new TransportNode("n1", root);
    n2 = new TransportNode("n2", root);
  }

  @AfterEach
  void closeAll() {
    n1.close();
    n2.close();
  }

  @Test
  void theCopyIsRefusedWhereItDials() throws IOException {
    startOnceAndRestoreTheCopy();
    n2.link(n1);
    assertThatTheCopyIsRefused();
  }

  @Test
  void theCopyIsRefusedWhereItIsDialed() throws IOException {
    startOnceAndRestoreTheCopy();
    n1.link(n2);
    assertThatTheCopyIsRefused();
  }

  @Test
  void aCopyOfARunningNodeIsRefusedByANodeThatItDialed() throws IOException {
    startBoth();
    n2.link(n1);
    await().atMost(PATIENCE).until(() -> n2.isConnectedTo(n1));
    renewAndRestoreTheCopy();
  }

  @Test
  void aCopyOfARunningNodeIsRefusedByANodeThatHadDialedIt() throws IOException {
    startBoth();
    n1.link(n2);
    await().atMost(PATIENCE).until(() -> n1.isConnectedTo(n2));
    renewAndRestoreTheCopy();
  }

  private void startBoth() throws IOException {
    n1.start();
    n2.starts = COPIED;
    n2.start();
  }

  /** The copy has the start that the other node has recorded, and not its renewal. */
  private void renewAndRestoreTheCopy() throws IOException {
    n2.starts = COPIED.renewed();
    LocalIdentity copy = n2.identities.self().at(Optional.empty(), COPIED.next(3));
    await()
        .atMost(PATIENCE)
        .until(() -> n1.identities.standing(copy) == PeerIdentities.Standing.OUTDATED);
    assertThat(n1.identities.standing(n2.identities.self()))
        .isEqualTo(PeerIdentities.Standing.KNOWN);
    assertThat(n2.outdated).isEmpty();
    n2.unlinkAll();
    n2.restart(COPIED.next(3));
    n2.link(n1);
    assertThatTheCopyIsRefused();
  }

  /** It starts more often from the copy than it had from the disk. */
  private void startOnceAndRestoreTheCopy() throws IOException {
    n1.starts = Starts.NONE.next(7);
    n1.start();
    n2.starts = COPIED;
    n2.start();
    n2.link(n1);
    await().atMost(PATIENCE).until(() -> n2.isConnectedTo(n1));
    n2.restart(COPIED.next(3));
    await().atMost(PATIENCE).until(() -> n2.isConnectedTo(n1));
    assertThat(n2.outdated).isEmpty();
    n2.unlinkAll();
    n2.restart(COPIED.next(4).next(5));
  }

  private void assertThatTheCopyIsRefused() {
    await().atMost(PATIENCE).until(() -> !n2.outdated.isEmpty());
    assertThat(n2.outdated.get(0)).contains("n2").contains("older copy");
    n2.send(numbered(1), n1);
    n1.send(numbered(2), n2);
    n1.transport.flush();
    n2.transport.flush();
    assertThat(n1.isConnectedTo(n2)).isFalse();
    assertThat(n2.isConnectedTo(n1)).isFalse();
    assertThat(n1.received).isEmpty();
    assertThat(n2.received).isEmpty();
  }
}
