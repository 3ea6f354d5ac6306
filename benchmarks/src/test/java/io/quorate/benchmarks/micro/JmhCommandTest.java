package io.quorate.benchmarks.micro;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.peers.contender.Contender;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Param;

class JmhCommandTest {
  @Test
  void clientsArePreparedOnlyForARunThatHasThem() {
    assertThat(JmhCommand.callsClients(List.of())).isTrue();
    assertThat(JmhCommand.callsClients(List.of("CallsBenchmark"))).isTrue();
    assertThat(JmhCommand.callsClients(List.of("CallsBenchmark.put$", "-f", "1"))).isTrue();
    assertThat(JmhCommand.callsClients(List.of("OverlayBenchmark", "getsAtOnce"))).isTrue();

    assertThat(JmhCommand.callsClients(List.of("OverlayBenchmark"))).isFalse();
    assertThat(JmhCommand.callsClients(List.of("CallsBenchmark", "-p", "client=quorate")))
        .isFalse();
    assertThat(JmhCommand.callsClients(List.of("-l"))).isFalse();
    assertThat(JmhCommand.callsClients(List.of("-h"))).isFalse();
    assertThat(JmhCommand.callsClients(List.of("--no-such-option"))).isFalse();
  }

  @Test
  void theBenchmarkHasEveryClient() throws NoSuchFieldException {
    Field client = CallsBenchmark.class.getDeclaredField("client");

    List<String> expected = new ArrayList<>(List.of(CallsBenchmark.QUORATE));
    expected.addAll(ClientOfPeer.databases().keySet());
    assertThat(client.getAnnotation(Param.class).value()).containsExactlyElementsOf(expected);
  }

  @Test
  void everyDatabaseIsCalledByThePublishedClient() {
    assertThat(ClientOfPeer.databases().values())
        .extracting(Contender::description)
        .anyMatch(each -> each.contains("jetcd 0.8.7"))
        .anyMatch(each -> each.contains("Lettuce 7.7.0.RELEASE"));
  }
}
