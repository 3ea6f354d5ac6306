package io.quorate.torture.testbed.agent;

import java.lang.instrument.Instrumentation;

/** The Java agent of a node. Runs in the node's process before its main class. */
public final class NodeAgent {
  private NodeAgent() {}

  /** Called by the JVM. */
  public static void premain(String text, Instrumentation instrumentation) {
    AgentArguments arguments = AgentArguments.parse(text);
    arguments
        .defect()
        .ifPresent(
            defect -> {
              NodeLog.write("Installing defect " + defect.getClass().getSimpleName());
              defect.install(instrumentation);
            });
    new FailpointControl(arguments.orders(), NodeLog::write).start();
  }
}
