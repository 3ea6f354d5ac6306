package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;

/** A log is opened without regard to what is known outside of it about its end. */
public final class LogEndIgnored implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    String ofRaft = "io.quorate.common.DurableEnd$Mark";
    String ofRabia = "io.quorate.rabia.log.LogRecovery";
    Mutation.install(
        instrumentation,
        new Mutation(ofRaft, "holds", SkipMethod.class),
        new Mutation(ofRaft, "isOf", SkipMethod.class),
        new Mutation(ofRabia, "requireNewest", SkipMethod.class),
        new Mutation(ofRabia, "requireDurable", SkipMethod.class));
  }
}
