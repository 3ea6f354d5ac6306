package io.quorate.client;

import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.FakeNode;
import io.quorate.client.fake.FakeRequest;
import io.quorate.protocol.wire.Opcode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application closes its client, whatever it does on the client's thread. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CloseTest {
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = FakeCluster.start(1);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void aStageThatBlocksTheThreadOfTheClientDoesNotKeepTheCallerForEver() {
    FakeNode node = cluster.node(1);
    List<FakeRequest> held = new CopyOnWriteArrayList<>();
    node.always(Opcode.GET, held::add);
    CompletableFuture<Void> blocking = new CompletableFuture<>();
    CompletableFuture<Void> entered = new CompletableFuture<>();
    AsyncQuorateClient client = AsyncQuorateClient.open(options(cluster).build());
    CompletableFuture<Void> stage =
        client
            .get("a")
            .thenRun(
                () -> {
                  entered.complete(null);
                  blocking.join();
                });
    await().until(() -> !held.isEmpty());
    node.run(() -> held.forEach(FakeRequest::serve));
    entered.join();
    client.close();
    assertThat(stage).isNotDone();
    blocking.complete(null);
    client.close();
    stage.join();
  }
}
