package io.quorate.server.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.Batch;
import io.quorate.client.CompareAndSetResult;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.client.UnavailableException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Operations on large values under coded replication, through the real client. All tests share one
 * cluster, and have keys of their own.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CodedOperationsTest extends CodedFixture {
  private static final int LARGE = 300_000;

  @BeforeParameterizedClassInvocation
  void start() throws IOException {
    start(3, "limits.value = 400KiB");
  }

  @AfterParameterizedClassInvocation
  @Override
  void stop() {
    super.stop();
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  @Test
  void largeAndSmallValuesAreWrittenReadReplacedAndDeleted() {
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      async.put(key("large"), value(1, LARGE)).join();
      async.put(key("small"), value(2, 100)).join();
      assertThat(async.get(key("large")).join()).contains(value(1, LARGE));
      assertThat(async.get(key("small")).join()).contains(value(2, 100));

      async.put(key("large"), value(3, LARGE)).join();
      assertThat(async.get(key("large")).join()).contains(value(3, LARGE));
      async.put(key("large"), value(4, 10)).join();
      assertThat(async.get(key("large")).join()).contains(value(4, 10));
      async.put(key("large"), value(5, LARGE)).join();
      async.delete(key("large")).join();
      assertThat(async.get(key("large")).join()).isEmpty();
    }
  }

  @Test
  void scansReturnWholeValues() {
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      for (int i = 0; i < 30; i++) {
        async.put(key("k%02d".formatted(i)), value(i, i % 2 == 0 ? LARGE : 10)).join();
      }
      int i = 0;
      for (KeyValue row : async.scan(KeyRange.ofPrefix(Key.wrap(key("k"))), 100).join()) {
        assertThat(row.value()).as("row %d", i).isEqualTo(value(i, i % 2 == 0 ? LARGE : 10));
        i++;
      }
      assertThat(i).isEqualTo(30);
    }
  }

  @Test
  void appendsExtendLargeValues() {
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      async.put(key("extended"), value(1, LARGE)).join();
      async.append(key("extended"), key("x")).join();
      byte[] longer = concat(value(1, LARGE), key("x"));
      assertThat(async.get(key("extended")).join()).contains(longer);
      async.append(key("extended"), value(2, 20_000)).join();
      longer = concat(longer, value(2, 20_000));
      assertThat(async.get(key("extended")).join()).contains(longer);

      async.append(key("extended"), value(3, 200_000)).join();
      assertThat(async.get(key("extended")).join())
          .as("no effect beyond the limit")
          .contains(longer);
      async.append(key("short"), key("x")).join();
      assertThat(async.get(key("short")).join()).contains(key("x"));
    }
  }

  @Test
  void getAndPutReturnsAndReplacesALargeValue() {
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      async.put(key("exchanged"), value(1, LARGE)).join();
      assertThat(async.getAndPut(key("exchanged"), value(2, LARGE)).join())
          .contains(value(1, LARGE));
      assertThat(async.getAndPut(key("exchanged"), key("small")).join()).contains(value(2, LARGE));
      assertThat(async.getAndPut(key("exchanged"), key("smaller")).join()).contains(key("small"));
      assertThat(async.get(key("exchanged")).join()).contains(key("smaller"));
    }
  }

  @Test
  void compareAndSetComparesLargeValues() {
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      byte[] first = value(1, LARGE);
      byte[] second = value(2, LARGE);
      async.put(key("compared"), value(1, LARGE)).join();

      CompareAndSetResult<byte[]> differs =
          async.compareAndSet(key("compared"), second, first).join();
      assertThat(differs.swapped()).isFalse();
      assertThat(differs.current()).contains(value(1, LARGE));
      CompareAndSetResult<byte[]> exists = async.putIfAbsent(key("compared"), second).join();
      assertThat(exists.swapped()).isFalse();
      assertThat(exists.current()).contains(value(1, LARGE));
      assertThat(async.get(key("compared")).join()).contains(value(1, LARGE));

      assertThat(async.compareAndSet(key("compared"), first, second).join().swapped()).isTrue();
      assertThat(async.get(key("compared")).join()).contains(value(2, LARGE));
      assertThat(async.compareAndDelete(key("compared"), second).join().swapped()).isTrue();
      assertThat(async.get(key("compared")).join()).isEmpty();
    }
  }

  @Test
  void aBatchWithAnAppendToALargeValueIsRefused() {
    try (QuorateClient client = client()) {
      client.async().put(key("appended"), value(1, LARGE)).join();
      Batch batch = new Batch().put(key("other"), key("x")).append(key("appended"), key("x"));
      assertThatThrownBy(() -> client.async().batch(batch).join()).hasMessageContaining("body");
      assertThat(client.async().get(key("appended")).join()).contains(value(1, LARGE));
      assertThat(client.async().get(key("other")).join()).isEmpty();
    }
  }

  /** Each append has a text of its own, so that a lost or repeated one shows in the value. */
  @Test
  void concurrentAppendsTakeEffectOnceEachThroughAChangeOfLeaders() {
    int clients = 3;
    int appends = 15;
    List<QuorateClient> appenders = new ArrayList<>();
    try (QuorateClient client = client()) {
      client.async().put(key("shared"), value(1, LARGE)).join();
      List<CompletableFuture<Void>> running = new ArrayList<>();
      CountDownLatch begun = new CountDownLatch(clients);
      for (int i = 0; i < clients; i++) {
        QuorateClient appender = client();
        appenders.add(appender);
        String name = "c" + i;
        running.add(
            CompletableFuture.runAsync(
                () -> {
                  for (int j = 0; j < appends; j++) {
                    appender
                        .async()
                        .append(key("shared"), key("[%s-%d]".formatted(name, j)))
                        .join();
                    begun.countDown();
                  }
                }));
      }
      await().atMost(TIMEOUT).until(() -> begun.getCount() == 0);
      NodeId before = leader(client.async());
      NodeId next = new NodeId(before.value().equals("n1") ? "n2" : "n1");
      // Another change of leaders may be in progress.
      await()
          .atMost(TIMEOUT)
          .ignoreExceptionsInstanceOf(UnavailableException.class)
          .until(
              () -> {
                client.transferLeader(new GroupId(1), next);
                return true;
              });
      running.forEach(CompletableFuture::join);

      byte[] all = client.async().get(key("shared")).join().orElseThrow();
      assertThat(Arrays.copyOf(all, LARGE)).isEqualTo(value(1, LARGE));
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < clients * appends; i++) {
        expected.add("c%d-%d".formatted(i / appends, i % appends));
      }
      String texts = new String(all, LARGE, all.length - LARGE, UTF_8);
      assertThat(texts).startsWith("[").endsWith("]");
      assertThat(texts.substring(1, texts.length() - 1).split("]\\["))
          .containsExactlyInAnyOrderElementsOf(expected);
    } finally {
      appenders.forEach(QuorateClient::close);
    }
  }
}
