package io.quorate.ratis.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.ratis.server.leader.LeaderState;
import org.junit.jupiter.api.Test;

class ObservedLeaderStateTest {
  private final List<String> calls = new ArrayList<>();
  private boolean mayWrite = true;
  private final LeaderState observed =
      new ObservedLeaderState(
          (LeaderState)
              Proxy.newProxyInstance(
                  LeaderState.class.getClassLoader(),
                  new Class<?>[] {LeaderState.class},
                  (proxy, method, arguments) -> {
                    calls.add(method.getName());
                    return method.getReturnType() == boolean.class ? true : null;
                  }),
          (appender, reply) -> calls.add("observed"),
          () -> mayWrite);

  @Test
  void everyReplyIsPassedToTheObserver() {
    observed.onAppendEntriesReply(null, null);
    assertThat(calls).containsExactly("onAppendEntriesReply", "observed");
  }

  /** Ratis would persist the term, holding the monitor of the group until the disk responds. */
  @Test
  void aNewerTermIsIgnoredUnlessItCanBePersisted() {
    mayWrite = false;
    assertThat(observed.onFollowerTerm(null, 7)).isFalse();
    assertThat(calls).isEmpty();
    mayWrite = true;
    assertThat(observed.onFollowerTerm(null, 7)).isTrue();
    assertThat(calls).containsExactly("onFollowerTerm");
  }
}
