package io.quorate.server.verification.canary;

import static net.bytebuddy.matcher.ElementMatchers.hasSuperType;
import static net.bytebuddy.matcher.ElementMatchers.isInterface;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.not;

import io.quorate.consensus.Command;
import io.quorate.consensus.Position;
import io.quorate.consensus.ProposeResult;
import io.quorate.operation.ClientCommand;
import io.quorate.operation.Operation;
import io.quorate.operation.Result;
import io.quorate.server.verification.agent.Defect;
import java.lang.instrument.Instrumentation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.bytebuddy.asm.Advice;

/** Whatever the engine, a write whose answer says nothing is answered when it is proposed. */
public final class ReplyBeforeCommit implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation,
        new Mutation(
            not(isInterface()).and(hasSuperType(named("io.quorate.consensus.ConsensusGroup"))),
            named("propose"),
            Early.class));
  }

  /** After the engine has taken the command. */
  static final class Early {
    private Early() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.Argument(0) Command command,
        @Advice.Return(readOnly = false) CompletionStage<ProposeResult> outcome) {
      outcome = early(command, outcome);
    }
  }

  /** Called from the changed method. */
  public static CompletionStage<ProposeResult> early(
      Command command, CompletionStage<ProposeResult> real) {
    boolean refused = real.toCompletableFuture().isCompletedExceptionally();
    Operation operation = ClientCommand.decode(command.payload()).operation();
    boolean saysNothing =
        operation instanceof Operation.Put
            || operation instanceof Operation.Delete
            || operation instanceof Operation.Batch
            || operation instanceof Operation.Append
            || operation instanceof Operation.Increment;
    return refused || !saysNothing
        ? real
        : CompletableFuture.completedFuture(
            new ProposeResult(Position.NONE, Result.DONE.encoded()));
  }
}
