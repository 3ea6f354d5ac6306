package io.quorate.torture.canary;

import static net.bytebuddy.matcher.ElementMatchers.hasSuperType;
import static net.bytebuddy.matcher.ElementMatchers.isInterface;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.not;

import io.quorate.consensus.Command;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import net.bytebuddy.asm.Advice;

/** Under every engine, a write without a result is acknowledged when it is proposed. */
public final class ReplyBeforeCommit implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation,
        new Mutation(
            not(isInterface()).and(hasSuperType(named("io.quorate.consensus.ConsensusGroup"))),
            named("propose"),
            EarlyResult.class));
  }

  /** Replaces the outcome after the engine has accepted the command. */
  static final class EarlyResult {
    private EarlyResult() {}

    @Advice.OnMethodExit
    static void exit(
        @Advice.Argument(0) Command command,
        @Advice.Return(readOnly = false) CompletionStage<ProposeResult> outcome) {
      outcome = earlyResult(command, outcome);
    }
  }

  /** Called from the changed method. */
  public static CompletionStage<ProposeResult> earlyResult(
      Command command, CompletionStage<ProposeResult> actual) {
    boolean rejected = actual.toCompletableFuture().isCompletedExceptionally();
    Operation operation = ClientCommand.decode(command.payload()).operation();
    boolean hasNoResult =
        operation instanceof Operation.Put
            || operation instanceof Operation.Delete
            || operation instanceof Operation.Batch
            || operation instanceof Operation.Append
            || operation instanceof Operation.Increment;
    return rejected || !hasNoResult
        ? actual
        : CompletableFuture.completedFuture(
            new ProposeResult(Position.NONE, Result.DONE.encoded()));
  }
}
