package io.quorate.server.rpc;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.ProposeResult;
import io.quorate.operation.ClientCommand;
import io.quorate.operation.Operation;
import io.quorate.operation.Result;
import io.quorate.operation.ValueChange;
import io.quorate.storage.command.BodyResolution;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Proposes writes to regions whose values may be bodies. A large put is replicated as a body. An
 * operation that needs a value which is a body is resolved (rule E7): this node reads the body,
 * computes the outcome, and proposes it under the request's own tag, on condition that the value is
 * still that body. Any thread; nothing blocks.
 */
final class BodyWrites {
  /**
   * How often a request is proposed when other writes change its key in between. Each time one of
   * them takes effect, so clients that repeat their requests make progress together.
   */
  private static final int ATTEMPTS_MAX = 8;

  private final Executor readers;
  private final Duration retryAfter;

  /**
   * @param readers computes outcomes, on up to several MiB each; may reject them
   */
  BodyWrites(Executor readers, Duration retryAfter) {
    this.readers = readers;
    this.retryAfter = retryAfter;
  }

  /** A request to a region with bodies, and the command that is proposed for it. */
  private record Write(
      Request request,
      ConsensusGroup group,
      BodyReplication bodies,
      ClientCommand content,
      Command command) {

    Command with(Operation operation) {
      return new Command(new ClientCommand(content.tag(), operation).encoded());
    }
  }

  /**
   * Proposes a write.
   *
   * @param request whose completion, as by its timeout, ends further attempts
   * @param write an operation of a client, with this node's limits
   * @param command its encoding
   * @return as {@link ConsensusGroup#propose} and {@link BodyReplication}. The result is {@link
   *     Result#SUPERSEDED} if the write took no effect and is to be repeated by the client.
   */
  CompletionStage<ProposeResult> propose(
      Request request, ConsensusGroup group, ClientCommand write, Command command) {
    Optional<BodyReplication> bodies = group.control(BodyReplication.class);
    if (bodies.isEmpty()) {
      return group.propose(command);
    }
    Write proposed = new Write(request, group, bodies.get(), write, command);
    if (write.operation() instanceof Operation.Put put && isBody(bodies.get(), put)) {
      return bodies
          .get()
          .propose(put.value(), body -> proposed.with(new Operation.PutBody(put.key(), body)));
    }
    return attempt(proposed, 1);
  }

  /** Whether a write is a put whose value is replicated as a body. */
  static boolean isBody(ConsensusGroup group, Operation operation) {
    return group
        .control(BodyReplication.class)
        .filter(bodies -> operation instanceof Operation.Put put && isBody(bodies, put))
        .isPresent();
  }

  private static boolean isBody(BodyReplication bodies, Operation.Put put) {
    return put.value().remaining() >= bodies.bodyBytesMin();
  }

  private CompletionStage<ProposeResult> attempt(Write write, int number) {
    return write
        .group()
        .propose(write.command())
        .thenCompose(
            outcome -> {
              Optional<BodyReference> needed = Result.neededBody(outcome.result());
              return needed.isPresent()
                  ? resolve(write, needed.get(), number)
                  : CompletableFuture.completedFuture(outcome);
            });
  }

  private CompletionStage<ProposeResult> resolve(Write write, BodyReference needed, int attempt) {
    // A further attempt needs no more: the body of the earlier one is garbage.
    if (attempt == 1 && !write.request().tryReserve(needed.length())) {
      return CompletableFuture.failedFuture(StoredValues.tooLarge(retryAfter));
    }
    return write
        .bodies()
        .read(needed)
        // The threads that complete reads of bodies, and apply commands, must not compute.
        .thenComposeAsync(body -> proposeResolved(write, needed, body), this::onReader)
        .thenCompose(
            outcome ->
                Result.isSuperseded(outcome.result())
                        && attempt < ATTEMPTS_MAX
                        && !write.request().isCompleted()
                    ? attempt(write, attempt + 1)
                    : CompletableFuture.completedFuture(outcome));
  }

  /**
   * Proposes the outcome, even if it changes nothing: its result must be recorded before it is
   * sent, so that no copy of the request takes effect later with another one.
   */
  private static CompletionStage<ProposeResult> proposeResolved(
      Write write, BodyReference needed, ByteBuffer body) {
    Operation.OnKey operation = (Operation.OnKey) write.content().operation();
    Operation.Resolved resolved = BodyResolution.resolve(operation, needed, body);
    return resolved.change() instanceof ValueChange.Put put
            && put.valueBytes() >= write.bodies().bodyBytesMin()
        ? write
            .bodies()
            .propose(put.value(), replicated -> write.with(resolved.withBody(replicated)))
        : write.group().propose(write.with(resolved));
  }

  private void onReader(Runnable task) {
    try {
      readers.execute(task);
    } catch (RejectedExecutionException e) {
      throw RequestRejected.overloaded("Too many requests wait for a reader thread.", retryAfter);
    }
  }
}
