package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;

/** A log is opened without regard to what is known outside of it about its end. */
public final class LogEndIgnored implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    String log = "io.quorate.replication.log.SharedLog";
    Mutation.install(
        instrumentation,
        new Mutation(log, "requireWhole", SkipMethod.class),
        new Mutation(log + "Recovery", "statedNewest", SkipMethod.class));
  }
}
