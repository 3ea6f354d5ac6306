package io.quorate.server.verification.canary;

import io.quorate.server.verification.agent.Defect;
import java.lang.instrument.Instrumentation;
import java.util.Optional;
import net.bytebuddy.asm.Advice;

/** Nothing is known of a request when it arrives, and nothing is kept of it. */
public final class DeduplicationOff implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    String sessions = "io.quorate.storage.Sessions";
    Mutation.install(
        instrumentation,
        new Mutation(sessions, "arrived", Unknown.class),
        new Mutation(sessions, "remember", Forget.class));
  }

  /** Never answered before. */
  static final class Unknown {
    private Unknown() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }

    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) Optional<byte[]> known) {
      known = Optional.empty();
    }
  }

  /** Does nothing. */
  static final class Forget {
    private Forget() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }
  }
}
