package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;
import java.util.Optional;
import net.bytebuddy.asm.Advice;

/** Every request counts as new when it arrives, and its result is not recorded. */
public final class DeduplicationOff implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    String sessions = "io.quorate.storage.apply.Sessions";
    Mutation.install(
        instrumentation,
        new Mutation(sessions, "arrived", NotFound.class),
        new Mutation(sessions, "remember", SkipMethod.class));
  }

  /** Skips the lookup and returns no earlier result. */
  static final class NotFound {
    private NotFound() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }

    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) Optional<byte[]> result) {
      result = Optional.empty();
    }
  }
}
