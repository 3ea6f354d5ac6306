package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;
import net.bytebuddy.asm.Advice;

/** A node reads frames of other nodes whatever their checksums. */
public final class ChecksumOff implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    String verifier = "io.quorate.protocol.frame.FrameVerifier";
    Mutation.install(
        instrumentation,
        new Mutation(verifier, "hasHeader", Accept.class),
        new Mutation(verifier, "hasFrame", Accept.class));
  }

  /** Returns true where the method would reject what has arrived. */
  static final class Accept {
    private Accept() {}

    @Advice.OnMethodExit(onThrowable = RuntimeException.class)
    static void exit(
        @Advice.Return(readOnly = false) boolean accepted,
        @Advice.Thrown(readOnly = false) Throwable failure) {
      // The library with this exception is that of the nodes.
      if (failure != null && failure.getClass().getName().endsWith(".CorruptedFrameException")) {
        failure = null;
        accepted = true;
      }
    }
  }
}
