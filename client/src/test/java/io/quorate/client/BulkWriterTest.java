package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.Reaction;
import io.quorate.protocol.wire.Opcode;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A bulk writer whose client is closed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BulkWriterTest {
  private final FakeCluster cluster = FakeCluster.start(1);
  private final FakeNode leader = cluster.node(1);

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void aBulkWriterOfAClosedClientRefusesWrites() {
    QuorateClient client = QuorateClient.connect(options(cluster).build());
    BulkWriter writer = client.bulk();
    writer.put("a", bytes("1"));
    writer.flush();
    client.close();
    assertThatThrownBy(() -> writer.put("b", "2")).isInstanceOf(ClientClosedException.class);
    assertThatThrownBy(() -> writer.delete("b")).isInstanceOf(ClientClosedException.class);
    assertThat(writer.flush()).isEqualTo(new BulkResult(1, 0, Optional.empty()));
    writer.close();
  }

  @Test
  void aBulkWriterThatWaitsForRoomLearnsThatItsClientIsClosed() {
    leader.always(Opcode.WRITE, Reaction.swallow());
    QuorateClient client = QuorateClient.connect(options(cluster).inFlight(2, 1 << 20).build());
    BulkWriter writer = client.bulk();
    writer.put("a", "1");
    CompletableFuture<Thread> blocked = new CompletableFuture<>();
    CompletableFuture<Void> second =
        CompletableFuture.runAsync(
            () -> {
              blocked.complete(Thread.currentThread());
              writer.put("b", "2");
            },
            task -> new Thread(task).start());
    await().until(() -> blocked.join().getState() == Thread.State.WAITING);
    client.close();
    assertThat(failure(second)).isInstanceOf(ClientClosedException.class);
    assertThat(writer.flush().failed()).isEqualTo(1);
  }
}
