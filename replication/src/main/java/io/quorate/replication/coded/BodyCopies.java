package io.quorate.replication.coded;

import io.quorate.common.Failures;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication.Preparation;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.round.BodyMessages.Fetch;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.coded.round.HeldBody;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The complete copies that a change of members needs before it, so that every majority of the
 * members after it can restore every body (decision 0049):
 *
 * <ul>
 *   <li>The new member needs one. A majority with it then restores the body, and one without it has
 *       enough present members to be a majority of these.
 *   <li>Where an even number of members becomes odd, majorities shrink: so many members need one,
 *       with this one, that each of those has it.
 * </ul>
 *
 * Any thread; nothing blocks.
 */
final class BodyCopies implements Preparation {
  private final GroupId group;
  private final BodyNode node;
  private final LocalBodies local;
  private final BodyPeers peers;
  private final BodyReader reader;
  private final Runnable whenComplete;
  private final List<NodeId> receivers;

  /**
   * @param present the members before the change
   * @param wanted those after it
   * @param whenComplete called when all bodies are copied
   */
  BodyCopies(
      GroupId group,
      BodyNode node,
      LocalBodies local,
      BodyPeers peers,
      BodyReader reader,
      List<NodeId> present,
      List<NodeId> wanted,
      Runnable whenComplete) {
    this.group = group;
    this.node = node;
    this.local = local;
    this.peers = peers;
    this.reader = reader;
    this.whenComplete = whenComplete;
    this.receivers = receivers(node.self(), present, wanted, node.settings());
  }

  /** The members that need a complete copy of each body. */
  static List<NodeId> receivers(
      NodeId self, List<NodeId> present, List<NodeId> wanted, CodedSettings settings) {
    List<NodeId> receivers = new ArrayList<>(wanted);
    receivers.removeAll(present);
    if (wanted.size() < present.size() && present.size() % 2 == 0) {
      receivers.add(self);
      wanted.stream()
          .filter(member -> !member.equals(self))
          .limit(settings.quorums(wanted.size()).failuresMax())
          .forEach(receivers::add);
    }
    return receivers;
  }

  @Override
  public boolean copies() {
    return !receivers.isEmpty();
  }

  @Override
  public void complete() {
    whenComplete.run();
  }

  @Override
  public CompletionStage<Boolean> isCopied(BodyReference body) {
    CompletableFuture<Boolean> copied = CompletableFuture.completedFuture(true);
    for (NodeId receiver : receivers) {
      copied =
          copied.thenCompose(
              all -> all ? holdsCopy(body, receiver) : CompletableFuture.completedFuture(false));
    }
    return copied.exceptionallyCompose(failure -> CompletableFuture.failedFuture(reason(failure)));
  }

  @Override
  public CompletionStage<Void> copy(BodyReference body) {
    CompletableFuture<Void> copied = CompletableFuture.completedFuture(null);
    for (NodeId receiver : receivers) {
      copied = copied.thenCompose(before -> copy(body, receiver));
    }
    return copied.exceptionallyCompose(failure -> CompletableFuture.failedFuture(reason(failure)));
  }

  private static Throwable reason(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    return cause instanceof IOException
        ? new ConsensusException.Unavailable("A body was not copied: " + cause.getMessage())
        : cause;
  }

  private CompletableFuture<Void> copy(BodyReference body, NodeId receiver) {
    return holdsCopy(body, receiver)
        .thenCompose(
            holds ->
                holds
                    ? CompletableFuture.completedFuture(null)
                    : reader.content(body).thenCompose(content -> store(body, receiver, content)));
  }

  private CompletableFuture<Boolean> holdsCopy(BodyReference body, NodeId receiver) {
    BodyId id = body.in(group);
    if (receiver.equals(node.self())) {
      return CompletableFuture.supplyAsync(() -> local.isComplete(id), node.workers());
    }
    // Not its content, which a walk over all bodies verifies now and then.
    return peers
        .fetch(receiver, new Fetch(id.epoch(), id.number(), 0, 0))
        .thenApply(held -> held.filter(part -> part.form() == Form.COMPLETE).isPresent());
  }

  private CompletableFuture<Void> store(BodyReference body, NodeId receiver, ByteBuffer content) {
    BodyId id = body.in(group);
    CompletableFuture<Form> stored =
        receiver.equals(node.self())
            ? local.store(id, Form.COMPLETE, 0, List.of(content))
            : new BodyTransfer(
                    peers::copy,
                    node.workers(),
                    node.settings().chunkBytes(),
                    receiver,
                    id,
                    HeldBody.complete(content),
                    BodyLayout.of(body).header().valueChecksum(),
                    () -> true)
                .start();
    return stored.thenApply(form -> null);
  }
}
