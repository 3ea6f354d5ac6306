package io.quorate.server.verification.agent;

import java.lang.instrument.Instrumentation;

/**
 * Something that is wrong with a node because a test wants it so. The node's agent makes it by a
 * public constructor without parameters.
 */
@FunctionalInterface
public interface Defect {
  /** Changes the program before it begins. */
  void install(Instrumentation instrumentation);
}
