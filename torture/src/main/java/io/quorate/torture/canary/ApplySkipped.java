package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;
import java.util.concurrent.ThreadLocalRandom;
import net.bytebuddy.asm.Advice;

/** A replica does not write one of some hundred values that it applies, at random. */
public final class ApplySkipped implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation,
        new Mutation("io.quorate.storage.apply.PendingValues", "put", Sometimes.class));
  }

  /** Skips the method at random. */
  static final class Sometimes {
    private Sometimes() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return ThreadLocalRandom.current().nextInt(300) == 0;
    }
  }
}
