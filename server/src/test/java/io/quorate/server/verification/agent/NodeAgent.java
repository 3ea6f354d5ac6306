package io.quorate.server.verification.agent;

import java.lang.instrument.Instrumentation;

/** Runs in a node's process before its main class. */
public final class NodeAgent {
  private NodeAgent() {}

  /** Called by the JVM. */
  public static void premain(String text, Instrumentation instrumentation) {
    AgentArguments arguments = AgentArguments.parse(text);
    arguments
        .defect()
        .ifPresent(
            defect -> {
              NodeLog.say("Broken on purpose: " + defect.getClass().getSimpleName());
              defect.install(instrumentation);
            });
    new PointControl(arguments.orders(), NodeLog::say).start();
  }
}
