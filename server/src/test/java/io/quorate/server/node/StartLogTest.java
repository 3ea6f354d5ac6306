package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StartLogTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, 10.0.0.1",
    "127.0.0.1, 127.0.0.2",
    "::1, 127.0.0.1",
    "localhost, 2001:db8::1",
  })
  void aNodeIsWarnedThatListensOnLoopbackAloneAndHasItsHostElsewhere(String bind, String host) {
    assertThat(StartLog.deafness(bind, host))
        .hasValueSatisfying(problem -> assertThat(problem).contains(bind, host, "set node.bind"));
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, 127.0.0.1",
    "127.0.0.1, localhost",
    "0.0.0.0, 10.0.0.1",
    "::, 127.0.0.1",
    "10.0.0.1, 192.0.2.1",
    "127.0.0.1, unknown.invalid",
    "unknown.invalid, 10.0.0.1",
  })
  void aNodeIsNotWarnedIfOthersMayReachIt(String bind, String host) {
    assertThat(StartLog.deafness(bind, host)).isEmpty();
  }
}
