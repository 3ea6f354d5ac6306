package io.quorate.client;

import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.fake.FakeCluster;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectToNothingTest {
  @Test
  void theExceptionNamesEachAddress() {
    FakeCluster cluster = FakeCluster.start(2);
    ClientOptions options = options(cluster).deadline(Duration.ofSeconds(3)).build();
    cluster.close();
    assertThatThrownBy(() -> QuorateClient.connect(options))
        .isInstanceOf(UnavailableException.class)
        .satisfies(failure -> assertNamesBoth(options, failure));
    try (AsyncQuorateClient client = AsyncQuorateClient.open(options)) {
      assertNamesBoth(options, failure(client.get("key")));
      assertThat(failure(client.withDeadline(Duration.ofMillis(300)).ready()))
          .hasMessageContaining("within 300ms");
    }
  }

  private static void assertNamesBoth(ClientOptions options, Throwable failure) {
    assertThat(failure)
        .hasMessageContaining("each of the 2 addresses failed: ")
        .hasMessageContaining(options.seeds().get(0) + " cannot be reached: ")
        .hasMessageContaining(options.seeds().get(1) + " cannot be reached: ");
  }

  /** Its addresses refuse until then. */
  @Test
  void aClusterThatStartsMeanwhileIsFound() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    ClientOptions options =
        ClientOptions.builder("127.0.0.1:" + port).deadline(Duration.ofSeconds(30)).build();
    try (AsyncQuorateClient client = AsyncQuorateClient.open(options)) {
      CompletableFuture<Void> ready = client.ready();
      // A call that has failed so has met the refusal; one that began late has not.
      await()
          .untilAsserted(
              () ->
                  assertThat(failure(client.withDeadline(Duration.ofMillis(300)).get("key")))
                      .hasMessageContaining("cannot be reached"));
      try (FakeCluster cluster = FakeCluster.startAt("127.0.0.1", port)) {
        ready.join();
        client.put("key", "value").join();
        assertThat(cluster.value("key")).contains("value");
      }
    }
  }
}
