package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FailpointTest {
  private static final Failpoint POINT = Failpoint.named("test.here.before");

  @AfterEach
  void off() {
    POINT.off();
  }

  @Test
  void aNameIdentifiesOneRegisteredFailpoint() {
    assertThat(Failpoint.named("test.here.before")).isSameAs(POINT).hasToString(POINT.name());
    assertThat(Failpoint.known()).contains(POINT);
  }

  @Test
  void doesNothingUnlessEnabled() throws IOException {
    List<Object> seen = new ArrayList<>();
    POINT.reached("a");
    POINT.on((at, subject) -> seen.add(at + " " + subject));
    POINT.reached("b");
    POINT.passed("c");
    POINT.off();
    POINT.reached("d");

    assertThat(seen).containsExactly("test.here.before b", "test.here.before c");
  }

  @Test
  void anActionCanFailTheOperation() {
    POINT.on(
        (at, subject) -> {
          throw new IOException("wanted");
        });

    assertThatThrownBy(() -> POINT.reached("a")).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> POINT.passed("a")).isInstanceOf(UncheckedIOException.class);
    POINT.off();
    assertThatCode(() -> POINT.reached("a")).doesNotThrowAnyException();
  }
}
