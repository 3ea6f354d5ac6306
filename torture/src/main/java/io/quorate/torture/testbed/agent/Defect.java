package io.quorate.torture.testbed.agent;

import java.lang.instrument.Instrumentation;

/**
 * A defect that is installed in a node on purpose. The node's agent creates it by its public
 * constructor without parameters.
 */
@FunctionalInterface
public interface Defect {
  /** Changes the classes of the node. Called before the node's main class runs. */
  void install(Instrumentation instrumentation);
}
