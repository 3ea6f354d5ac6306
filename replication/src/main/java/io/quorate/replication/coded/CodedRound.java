package io.quorate.replication.coded;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyReference;
import io.quorate.consensus.Command;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.BodyPeers.Acknowledged;
import io.quorate.replication.coded.FallbackTimer.Progress;
import io.quorate.replication.coded.round.BodyRound;
import io.quorate.replication.coded.round.BodyRound.Action;
import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.coded.round.HeldBody;
import io.quorate.replication.erasure.CodedValue;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A body on its way from its leader to the proposal of its header: the state beside the decisions
 * of {@link BodyRound}. Guarded by the lock of {@link BodyProposer}, except where stated.
 */
final class CodedRound {
  /** What an action sends to a follower, with its checksum. */
  record Content(NodeId to, HeldBody body, int checksum) {}

  /** What is sent, once it is encoded. */
  private record Encoded(
      BodyRound decisions,
      ByteBuffer body,
      CodedValue value,
      BodyLayout layout,
      FallbackTimer fallback,
      Map<NodeId, Acknowledged> before) {}

  private final BodyId id;
  private final BodyNumbers numbers;
  private final int bytes;
  private final long heldBytes;
  private final long deadlineNanos;
  private final Function<BodyReference, Command> command;

  /** Completed outside of the lock. */
  private final CompletableFuture<ProposeResult> outcome = new CompletableFuture<>();

  private final Map<NodeId, BodyTransfer> transfers = new HashMap<>();

  /** Null before {@link #begin}. */
  private Encoded encoded;

  private boolean sentComplete;
  private boolean fellBack;

  /** Whether the header was proposed or the round given up. */
  private boolean over;

  /** Whether the round was given up; nothing more is sent. Read without the lock. */
  private volatile boolean givenUp;

  /** The transfers in progress, and 1 until the outcome is known. */
  private int users = 1;

  CodedRound(
      BodyId id,
      BodyNumbers numbers,
      int bytes,
      long heldBytes,
      long deadlineNanos,
      Function<BodyReference, Command> command) {
    this.id = id;
    this.numbers = numbers;
    this.bytes = bytes;
    this.heldBytes = heldBytes;
    this.deadlineNanos = deadlineNanos;
    this.command = command;
  }

  /** Any thread. */
  BodyId id() {
    return id;
  }

  /** The length of the body. Any thread. */
  int bytes() {
    return bytes;
  }

  /** The bytes that the round has acquired: the body and its parity. Any thread. */
  long heldBytes() {
    return heldBytes;
  }

  /** Any thread. */
  CompletableFuture<ProposeResult> outcome() {
    return outcome;
  }

  /**
   * Whether transfers are to continue: also those to slow followers after the proposal. Any thread.
   */
  boolean isWanted() {
    return !givenUp && !isOverdue(System.nanoTime());
  }

  boolean isOverdue(long nowNanos) {
    return nowNanos - deadlineNanos >= 0;
  }

  boolean isOver() {
    return over;
  }

  /**
   * Begins to send.
   *
   * @param body never changes
   * @param before what each follower has acknowledged of bodies so far
   */
  void begin(
      BodyRound decisions,
      ByteBuffer body,
      CodedValue value,
      BodyLayout layout,
      FallbackTimer fallback,
      Map<NodeId, Acknowledged> before) {
    encoded = new Encoded(decisions, body, value, layout, fallback, before);
  }

  List<Action> start(List<NodeId> responsive, int extraCopies) {
    return encoded.decisions().start(Set.copyOf(responsive), extraCopies);
  }

  /** Adds an electorate that has to be able to restore the body; has no effect before the start. */
  List<Action> require(List<NodeId> electorate) {
    return encoded == null || over ? List.of() : encoded.decisions().require(electorate);
  }

  /** Whether the header is to be proposed, also after a later {@link #require}. */
  boolean isDue() {
    return !over && encoded.decisions().isProposed();
  }

  List<Action> durable(NodeId server, Form form, long nowNanos) {
    if (over) {
      return List.of();
    }
    List<Action> actions = encoded.decisions().durable(server, form);
    if (encoded.decisions().isHeldByFollowers()) {
      encoded.fallback().heldByOthers(nowNanos);
    }
    return actions;
  }

  /**
   * Whether a server that has stored the body now was in time.
   *
   * @param acknowledged what it has acknowledged of bodies, including this one
   */
  boolean isInTime(NodeId server, long nowNanos, Acknowledged acknowledged) {
    return encoded.fallback().isInTime(nowNanos, progress(server, acknowledged));
  }

  /**
   * The followers that are late; complete copies are due if there are any.
   *
   * @param acknowledged what each follower has acknowledged of bodies
   */
  Set<NodeId> late(long nowNanos, Function<NodeId, Acknowledged> acknowledged) {
    if (encoded == null || over) {
      return Set.of();
    }
    FallbackTimer timer = encoded.fallback();
    boolean sending = users > 1;
    Set<NodeId> late = encoded.decisions().missing();
    late.removeIf(
        follower ->
            !timer.isLate(nowNanos, sending, progress(follower, acknowledged.apply(follower))));
    return late;
  }

  private Progress progress(NodeId server, Acknowledged acknowledged) {
    Acknowledged before = encoded.before().getOrDefault(server, Acknowledged.NOTHING);
    long bytes = acknowledged.bytes() - before.bytes();
    return new Progress(
        bytes == 0 ? encoded.fallback().begunNanos() : acknowledged.lastNanos(), bytes);
  }

  List<Action> fallBack(List<NodeId> responsive, long nowNanos) {
    encoded.fallback().fellBack(nowNanos);
    fellBack = true;
    return encoded.decisions().fallBack(Set.copyOf(responsive));
  }

  boolean hasFallenBack() {
    return fellBack;
  }

  boolean hasSentComplete() {
    return sentComplete;
  }

  /** The fragment of a server that has one by the layout. */
  Content fragment(NodeId to) {
    int index = encoded.layout().nodes().indexOf(to);
    return new Content(
        to,
        new HeldBody(Form.FRAGMENT, index, encoded.value().fragments().get(index).bytes()),
        encoded.value().header().fragmentChecksums().get(index));
  }

  Content complete(NodeId to) {
    return new Content(
        to, HeldBody.complete(encoded.body()), encoded.value().header().valueChecksum());
  }

  /**
   * Records a transfer, which replaces an earlier one to the same follower.
   *
   * @return false if the transfer is not to start, because the round has ended, or a complete copy
   *     is on its way already: to begin again would never end where copies take longer than the
   *     fallback
   */
  boolean add(NodeId to, BodyTransfer transfer, Form form) {
    BodyTransfer before = transfers.get(to);
    if (users == 0 || before != null && before.isSendingComplete()) {
      return false;
    }
    if (before != null) {
      before.stop();
    }
    transfers.put(to, transfer);
    sentComplete |= form == Form.COMPLETE;
    users++;
    return true;
  }

  /**
   * Ends the round with the command to propose, whose reference has the present floor.
   *
   * @throws RuntimeException if the command cannot be created; the round is over then too
   */
  Command propose() {
    over = true;
    try {
      return command.apply(
          new BodyReference(
              id.epoch(), id.number(), numbers.floor(), bytes, encoded.layout().encode()));
    } finally {
      numbers.finish(id.number());
    }
  }

  /** Ends the round: its header will never be proposed. */
  void giveUp() {
    over = true;
    givenUp = true;
    numbers.finish(id.number());
  }

  /**
   * Records that a transfer has ended or the outcome is known.
   *
   * @return whether nothing of the round is in use any more
   */
  boolean isLastUse() {
    return --users == 0;
  }
}
