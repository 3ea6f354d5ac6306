package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * Followers compose appends as Ratis does by default, and send every acknowledgement unchecked. A
 * replica whose log stalls continues to participate; otherwise it would not vote for another leader
 * during the stall.
 */
public final class AckGuardOff implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation,
        new Mutation("io.quorate.ratis.patches.AckGuard", "check", ReturnUnchecked.class),
        new Mutation("io.quorate.ratis.health.DiskHealth", "isLogResponsive", ReturnTrue.class),
        new Mutation("io.quorate.ratis.health.DiskHealth", "mayLead", ReturnTrue.class),
        new Mutation(
            "org.apache.ratis.server.RaftServerConfigKeys$Log",
            "setAppendEntriesComposeEnabled",
            EnableCompose.class));
  }

  /** Enables the composition of appends, whatever value the engine sets. */
  static final class EnableCompose {
    private EnableCompose() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.Argument(value = 1, readOnly = false) boolean compose) {
      compose = true;
    }
  }

  /** Skips the method and returns true. */
  static final class ReturnTrue {
    private ReturnTrue() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }

    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) boolean returned) {
      returned = true;
    }
  }

  /** Skips the check and returns the reply that was to be checked. */
  static final class ReturnUnchecked {
    private ReturnUnchecked() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }

    @Advice.OnMethodExit
    static void exit(
        @Advice.Argument(value = 2, typing = Assigner.Typing.DYNAMIC) Object reply,
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object returned) {
      returned = reply;
    }
  }
}
