package io.quorate.torture.canary;

import io.quorate.torture.agent.Defect;
import java.lang.instrument.Instrumentation;
import net.bytebuddy.asm.Advice;

/** A log is opened without regard to what is known outside of it about its end. */
public final class LogEndIgnored implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    String ofRaft = "io.quorate.common.DurableEnd$Mark";
    String ofRabia = "io.quorate.rabia.log.LogRecovery";
    Mutation.install(
        instrumentation,
        new Mutation(ofRaft, "holds", Skip.class),
        new Mutation(ofRaft, "isOf", Skip.class),
        new Mutation(ofRabia, "requireNewest", Skip.class),
        new Mutation(ofRabia, "requireDurable", Skip.class));
  }

  /** Skips the method, which then returns false if it returns anything. */
  static final class Skip {
    private Skip() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }
  }
}
