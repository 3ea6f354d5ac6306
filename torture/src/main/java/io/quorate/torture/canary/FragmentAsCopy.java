package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;
import net.bytebuddy.asm.Advice;

/** A header is proposed when F + 1 nodes hold anything of its body. */
public final class FragmentAsCopy implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation,
        new Mutation(
            "io.quorate.replication.coded.round.BodyQuorums", "areMet", CountFragments.class));
  }

  /** Adds the fragments to the complete copies. */
  static final class CountFragments {
    private CountFragments() {}

    @Advice.OnMethodEnter
    static void enter(
        @Advice.Argument(0) int fragmentHolders,
        @Advice.Argument(value = 1, readOnly = false) int completeCopies) {
      completeCopies += fragmentHolders;
    }
  }
}
