package io.quorate.torture.canary;

import io.quorate.consensus.Command;
import io.quorate.consensus.ProposeResult;
import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import net.bytebuddy.asm.Advice;

/**
 * A header takes effect also in a later term than that of its body. Proposals of headers are
 * delayed, as by a thread that gets no processor, so that some come after the return of a leader;
 * with the rule this is safe.
 */
public final class HeaderInLaterTerm implements Defect {
  private static final Map<Supplier<?>, HeldHeaders> HELD = new ConcurrentHashMap<>();

  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation,
        new Mutation(
            "io.quorate.storage.command.OperationExecutor", "isSuperseded", ReturnFalse.class),
        new Mutation("io.quorate.replication.coded.Replica", "propose", DelayProposals.class));
  }

  /** Skips the check: no header is one of an earlier term. */
  static final class ReturnFalse {
    private ReturnFalse() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter() {
      return true;
    }
  }

  /** Replaces the function that proposes the headers of a replica. */
  static final class DelayProposals {
    private DelayProposals() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.FieldValue("standing") Supplier<?> standing,
        @Advice.Return(readOnly = false)
            Function<Command, CompletableFuture<ProposeResult>> propose) {
      propose = delayed(standing, propose);
    }
  }

  /**
   * Called from the changed method.
   *
   * @param standing of the replica, a different object for each
   */
  public static Function<Command, CompletableFuture<ProposeResult>> delayed(
      Supplier<?> standing, Function<Command, CompletableFuture<ProposeResult>> propose) {
    HeldHeaders held = HELD.computeIfAbsent(standing, HeldHeaders::new);
    return header -> held.hold(header, propose);
  }
}
