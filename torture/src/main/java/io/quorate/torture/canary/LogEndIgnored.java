package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;

/** A log is opened without regard to what is known outside of it about its end. */
public final class LogEndIgnored implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    String mark = "io.quorate.common.DurableEnd$Mark";
    String ofRabia = "io.quorate.replication.log.SharedLog";
    Mutation.install(
        instrumentation,
        new Mutation(mark, "holds", SkipMethod.class),
        new Mutation(mark, "isOf", SkipMethod.class),
        new Mutation(ofRabia, "requireWhole", SkipMethod.class),
        new Mutation(ofRabia + "Recovery", "statedNewest", SkipMethod.class));
  }
}
