package io.quorate.rabia.engine;

import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ProposeResult;
import io.quorate.replication.proposals.CommandQueue;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * A command of this node without a result, and the future that its caller waits for. A command
 * without bytes is a read by consensus: it is ordered and is not passed to the state machine.
 *
 * @param source whoever sent it
 * @param begin called once, before the command is passed to the core; false if its caller has
 *     withdrawn it
 */
record PendingCommand(
    ByteBuffer payload,
    Command.Source source,
    CompletableFuture<ProposeResult> outcome,
    BooleanSupplier begin)
    implements CommandQueue.Waiting {
  static final ByteBuffer READ = ByteBuffer.allocate(0).asReadOnlyBuffer();

  /** A command of a client, whose payload is copied: replicas that are behind need it for long. */
  static PendingCommand of(Command command) {
    ByteBuffer own = ByteBuffer.allocate(command.size());
    own.put(command.payload().duplicate()).flip();
    return new PendingCommand(own, command.source(), new CompletableFuture<>(), command::begin);
  }

  /** A read by consensus, which nobody withdraws. */
  static PendingCommand read(Command.Source source) {
    return new PendingCommand(READ, source, new CompletableFuture<>(), () -> true);
  }

  @Override
  public int bytes() {
    return payload.remaining();
  }

  /** Fails the command because a snapshot contains it: it took effect, and its result is lost. */
  void overtaken() {
    outcome.completeExceptionally(
        new ConsensusException.Indeterminate(
            "The command's result was lost: an installed snapshot contains the command.", null));
  }
}
