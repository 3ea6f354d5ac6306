package io.quorate.server.rpc;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.ProposeResult;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ValueChange;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.topology.LocalReplica;
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
      return BodyWrites.command(request, content, operation);
    }
  }

  /**
   * Proposes a write that is not {@linkplain #isBody a body}.
   *
   * @param request whose completion, as by its timeout, ends further attempts
   * @param write an operation of a client, with this node's limits
   * @param command its encoding
   * @return as {@link ConsensusGroup#propose} and {@link BodyReplication}. The result is {@link
   *     Result#SUPERSEDED} if the write took no effect and is to be repeated by the client.
   */
  CompletionStage<ProposeResult> propose(
      Request request, LocalReplica region, ClientCommand write, Command command) {
    return region.bodies().isEmpty()
        ? region.group().propose(command)
        : attempt(new Write(request, region.group(), region.bodies().get(), write, command), 1);
  }

  /**
   * Replicates the value of a write that is {@linkplain #isBody a body}, and proposes the write
   * with a reference to it.
   *
   * @return as {@link #propose}
   */
  static CompletionStage<ProposeResult> proposeBody(
      Request request, LocalReplica region, ClientCommand write) {
    Operation.Put put = (Operation.Put) write.operation();
    return region
        .bodies()
        .orElseThrow()
        .propose(
            put.value(), body -> command(request, write, new Operation.PutBody(put.key(), body)));
  }

  /** Whether a write is a put whose value is replicated as a body. */
  static boolean isBody(LocalReplica region, Operation operation) {
    return region.bodies().isPresent()
        && operation instanceof Operation.Put put
        && put.value().remaining() >= region.bodies().get().bodyBytesMin();
  }

  /**
   * Another operation with the request id of a write. What was replicated or read for it would be
   * in vain if it were refused.
   */
  private static Command command(Request request, ClientCommand write, Operation operation) {
    return new Command(
        new ClientCommand(write.tag(), operation).encoded(), request.source(), Long.MAX_VALUE);
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
