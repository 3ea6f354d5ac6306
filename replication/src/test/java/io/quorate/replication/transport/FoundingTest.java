package io.quorate.replication.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.replication.transport.handshake.RefusalReason;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of clusters that were founded at different times under one name. */
@Timeout(60)
class FoundingTest {
  private static final Optional<UUID> FIRST = Optional.of(new UUID(1, 1));
  private static final Optional<UUID> SECOND = Optional.of(new UUID(2, 2));

  @TempDir private Path root;

  private TransportNode n1;
  private TransportNode n2;

  @BeforeEach
  void start() throws IOException {
    n1 = new TransportNode("n1", root);
    n2 = new TransportNode("n2", root);
  }

  @AfterEach
  void stop() {
    n1.close();
    n2.close();
  }

  @Test
  void refuseEachOther() throws IOException {
    n1.founding = FIRST;
    n2.founding = SECOND;
    n1.start();
    n2.start();
    n1.link(n2);
    n2.link(n1);
    await().until(() -> n1.refusals.contains(RefusalReason.FOUNDING));
    await().until(() -> n2.refusals.contains(RefusalReason.FOUNDING));
    assertThat(n1.connections).isEmpty();
    assertThat(n2.connections).isEmpty();
  }

  @Test
  void acceptEachOtherIfTheyAreTheSameOrOneIsNotKnownYet() throws IOException {
    n1.founding = FIRST;
    n1.start();
    n2.start();
    n1.link(n2);
    n2.link(n1);
    await().until(() -> n1.isConnectedTo(n2) && n2.isConnectedTo(n1));
    n2.founding = FIRST;
    n1.send(TransportNode.numbered(1), n2);
    n1.transport().flush();
    await().until(() -> n2.numbersFrom(n1).contains(1L));
  }

  /** As when a new node joins the other cluster. */
  @Test
  void separateWhenANodeLearnsItsOwn() throws IOException {
    n1.founding = FIRST;
    n1.start();
    n2.start();
    n1.link(n2);
    n2.link(n1);
    await().until(() -> n1.isConnectedTo(n2) && n2.isConnectedTo(n1));
    n2.founding = SECOND;
    await().until(() -> !n1.isConnectedTo(n2) && !n2.isConnectedTo(n1));
    await()
        .until(
            () ->
                n1.refusals.contains(RefusalReason.FOUNDING)
                    || n2.refusals.contains(RefusalReason.FOUNDING));
  }

  @Test
  void separateWhenBothLearnTheirOwn() throws IOException {
    n1.start();
    n2.start();
    n1.link(n2);
    await().until(() -> n1.isConnectedTo(n2));
    n1.founding = FIRST;
    n2.founding = SECOND;
    await().until(() -> !n1.isConnectedTo(n2));
  }
}
