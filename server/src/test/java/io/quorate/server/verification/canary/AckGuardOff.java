package io.quorate.server.verification.canary;

import io.quorate.server.verification.agent.Defect;
import java.lang.instrument.Instrumentation;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * Appends are chained as Ratis does it by default, and every acknowledgement is let out. A replica
 * whose log stalls takes part as ever, or it would not vote for another leader meanwhile.
 */
public final class AckGuardOff implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation,
        new Mutation("io.quorate.ratis.guards.AckGuard", "check", LetOut.class),
        new Mutation("io.quorate.ratis.health.DiskHealth", "isLogResponsive", Always.class),
        new Mutation("io.quorate.ratis.health.DiskHealth", "mayLead", Always.class),
        new Mutation(
            "org.apache.ratis.server.RaftServerConfigKeys$Log",
            "setAppendEntriesComposeEnabled",
            Compose.class));
  }

  /** Switched on, whatever the engine says. */
  static final class Compose {
    private Compose() {}

    @Advice.OnMethodEnter
    static void enter(@Advice.Argument(value = 1, readOnly = false) boolean compose) {
      compose = true;
    }
  }

  /** True, whatever is known. */
  static final class Always {
    private Always() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }

    @Advice.OnMethodExit
    static void exit(@Advice.Return(readOnly = false) boolean returned) {
      returned = true;
    }
  }

  /** Answers with the reply that was to be checked. */
  static final class LetOut {
    private LetOut() {}

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
