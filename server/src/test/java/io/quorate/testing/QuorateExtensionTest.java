package io.quorate.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.Batch;
import io.quorate.client.ClientOptions;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class QuorateExtensionTest {
  private static final List<EmbeddedCluster> CLUSTERS = new CopyOnWriteArrayList<>();

  @QuorateTest(splitAt = "stock/c", preset = "acqr")
  static class SampleApplication {
    @Test
    void writes(EmbeddedCluster cluster, QuorateClient client, AsyncQuorateClient async) {
      CLUSTERS.add(cluster);
      assertThat(EmbeddedCluster.of(SampleApplication.class)).isSameAs(cluster);
      client.put("a", "1");
      assertThat(async.get("a").join()).contains("1");
      assertThat(cluster.size()).isEqualTo(1);
      assertThatThrownBy(
              () -> client.batch(new Batch().put("stock/bolt", "1").put("stock/nut", "1")))
          .isInstanceOf(InvalidRequestException.class);
    }

    @Nested
    class Inner {
      @Test
      void usesTheSameCluster(EmbeddedCluster cluster) {
        CLUSTERS.add(cluster);
      }
    }
  }

  @QuorateTest
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  static class WithOneInstance {
    private final QuorateClient client;

    WithOneInstance(QuorateClient client) {
      this.client = client;
    }

    @Test
    void usesWhatItsConstructorHasReceived(QuorateClient same) {
      assertThat(client).isSameAs(same);
      client.put("a", "1");
    }

    @Nested
    class Inner {
      @Test
      void finds(EmbeddedCluster cluster) {
        assertThat(EmbeddedCluster.of(Inner.class)).isSameAs(cluster);
      }
    }
  }

  private static void run(Class<?> tests) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build(),
            listener);
    assertThat(listener.getSummary().getFailures()).isEmpty();
    assertThat(listener.getSummary().getTestsSucceededCount()).isEqualTo(2);
  }

  @Test
  void theOnlyInstanceOfAClassReceivesTheClientAsItIsConstructed() {
    run(WithOneInstance.class);
    assertThatThrownBy(() -> EmbeddedCluster.of(WithOneInstance.class))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void testsOfAClassShareAClusterThatIsClosedAfterThem() {
    run(SampleApplication.class);
    assertThat(CLUSTERS).hasSize(2);
    assertThat(CLUSTERS.get(0)).isSameAs(CLUSTERS.get(1));
    assertThatThrownBy(() -> EmbeddedCluster.of(SampleApplication.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("@QuorateTest");
    ClientOptions options =
        ClientOptions.builder(CLUSTERS.get(0).addresses()).deadline(Duration.ofSeconds(1)).build();
    assertThatThrownBy(() -> QuorateClient.connect(options))
        .isInstanceOf(UnavailableException.class);
  }
}
