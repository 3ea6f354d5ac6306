package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Values of the greatest length that {@code limits.value} allows. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class LargestValuesTest extends CodedFixture {
  private static final int LARGEST = 64 << 20;

  private static void assertValue(AsyncQuorateClient client, byte[] expected) {
    byte[] found = client.get(key("k")).join().orElseThrow();
    // A failed comparison of such arrays by the assertion would print them.
    assertThat(Arrays.equals(found, expected)).isTrue();
  }

  private QuorateClient patientClient() {
    return QuorateClient.connect(
        ClientOptions.builder(cluster.seeds())
            .deadline(Duration.ofMinutes(1))
            .attemptTimeout(Duration.ofSeconds(20))
            .silenceMax(Duration.ofSeconds(20))
            .build());
  }

  @Test
  @Tag("slow")
  void areWrittenExtendedAndRestoredByAnotherLeader() throws IOException {
    start(3, "limits.value = 64MiB");
    try (QuorateClient client = patientClient()) {
      AsyncQuorateClient async = client.async();
      byte[] first = value(1, LARGEST - 1);
      async.put(key("k"), first).join();
      async.append(key("k"), key("x")).join();
      assertThatThrownBy(() -> async.put(key("k"), new byte[LARGEST + 1]).join())
          .hasRootCauseInstanceOf(InvalidRequestException.class);
      nodes.get(number(leader(async))).close();
      byte[] longest = Arrays.copyOf(first, LARGEST);
      longest[LARGEST - 1] = 'x';
      assertValue(async, longest);
    }
  }

  @Test
  @Tag("slow")
  void areRestoredAtANodeThatWasDown() throws IOException {
    start(3, "limits.value = 64MiB, storage.body-repair-interval = 200ms");
    try (QuorateClient client = patientClient()) {
      AsyncQuorateClient async = client.async();
      async.put(key("k"), value(1, LARGEST)).join();
      int down = number(leader(async));
      nodes.get(down).close();
      byte[] second = value(2, LARGEST);
      async.put(key("k"), second).join();
      nodes.set(down, start(down));
      await().atMost(TIMEOUT).until(() -> hasFragment(bodyBytes(down)));
      nodes.get((down + 1) % nodes.size()).close();
      assertValue(async, second);
    }
  }

  /**
   * Whether these are the bytes of a fragment of the second value, with or without a complete copy
   * of the first one, which is removed some time after it was overwritten.
   */
  private static boolean hasFragment(long bytes) {
    return bytes >= LARGEST + LARGEST / 2 || (bytes >= LARGEST / 2 && bytes < LARGEST);
  }
}
