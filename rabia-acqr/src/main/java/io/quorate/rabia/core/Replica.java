package io.quorate.rabia.core;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.Share;
import io.quorate.rabia.protocol.Body;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * One replica of a group: a deterministic object that is told what happened and answers what to do.
 * It has no clock, socket, disk, thread or source of randomness, and blocks on nothing.
 *
 * <p>Not thread-safe: every method is called by one thread at a time.
 */
public final class Replica {
  private static final long IDLE_NANOS = 10_000_000_000L;

  private final Context context;
  private final ReadShares shares;
  private final Execution execution;
  private final Agreement agreement;
  private final Submissions submissions;
  private final SlotReservation reservation;
  private final CatchUp catchUp;
  private final StatusReporter statusReporter;
  private final PeerHelp peerHelp;
  private final Chooser chooser;
  private final Checkpoints checkpoints;

  /**
   * A replica as it stands in its log's checkpoint, before the log is replayed.
   *
   * @param start the newest checkpoint in the log that {@code stateDurable} covers, or the initial
   *     one. Of a replica that is to join: the initial one of a configuration with epoch 0, whose
   *     members are whom to ask.
   * @param stateDurable what the state machine holds
   * @param footprint which keys a command may write; pure
   */
  public Replica(
      NodeId self,
      Settings settings,
      Checkpoint start,
      Position stateDurable,
      Function<ByteBuffer, KeyScope> footprint) {
    this(self, settings, start, stateDurable, footprint, Coin.COMMON, Rules.PROTOCOL);
  }

  Replica(
      NodeId self,
      Settings settings,
      Checkpoint start,
      Position stateDurable,
      Function<ByteBuffer, KeyScope> footprint,
      Coin coin,
      Rules rules) {
    context = new Context(self, settings, rules, coin, start);
    shares = new ReadShares(footprint);
    execution = new Execution(context, shares, start, stateDurable);
    agreement = new Agreement(context, execution, shares);
    submissions = new Submissions(context);
    reservation = new SlotReservation(context);
    catchUp = new CatchUp(context, agreement, execution);
    statusReporter = new StatusReporter(context, execution);
    peerHelp = new PeerHelp(context, agreement, execution);
    checkpoints = new Checkpoints(context, execution, reservation);
    chooser =
        settings.policy() == Settings.Policy.OWNED
            ? new OwnedChooser(context, agreement, execution, submissions, reservation)
            : new PublishedChooser(context, agreement, execution, submissions, reservation);
    agreement.setChooser(chooser);
  }

  /**
   * Takes one input in. Does not block; takes time with the work that the input allows.
   *
   * @param nowNanos a monotonic clock of this process. Clocks of different replicas need not agree,
   *     and safety does not depend on them.
   * @return what to do, in this order
   */
  public List<Effect> step(long nowNanos, Input input) {
    return step(nowNanos, List.of(input));
  }

  /** Takes inputs in, in order. What follows from all of them together shares messages. */
  public List<Effect> step(long nowNanos, List<? extends Input> inputs) {
    context.now = nowNanos;
    for (Input input : inputs) {
      if (context.journal.isReplaying() != isBeforeStart(input)) {
        throw new IllegalStateException("Not at this time: " + input);
      }
      take(input);
    }
    if (!context.journal.isReplaying()) {
      settle();
    } else {
      execution.deliver();
    }
    return context.journal.drain();
  }

  /** Whether this comes before the replica is started; both do where true is no answer. */
  private boolean isBeforeStart(Input input) {
    return input instanceof Input.Replayed
        || input instanceof Input.Started
        || (input instanceof Input.Executed && context.journal.isReplaying());
  }

  private void take(Input input) {
    if (input instanceof Input.Received received) {
      receive(received.from(), received.message());
    } else if (input instanceof Input.Durable durable) {
      context.journal.durable(durable.through());
      agreement.hearDurable();
      checkpoints.advance();
    } else if (input instanceof Input.Executed executed) {
      execution.executed(executed.through());
    } else if (input instanceof Input.Propose propose) {
      submissions.propose(propose.commands());
    } else if (input instanceof Input.Tick) {
      chooser.tick();
      agreement.repeatOverdue();
      statusReporter.tick();
      catchUp.tick();
    } else if (input instanceof Input.StateDurable durable) {
      execution.stateDurable(durable.through());
      checkpoints.stateDurable();
    } else if (input instanceof Input.Replayed replayed) {
      replay(replayed.record());
    } else if (input instanceof Input.Started) {
      start();
    } else if (input instanceof Input.Connected connected) {
      agreement.repeatTo(connected.peer());
      statusReporter.connected(connected.peer());
    } else if (input instanceof Input.NotInLog truncated) {
      peerHelp.offerSnapshot(truncated.to());
    } else if (input instanceof Input.Reconfigure change) {
      reconfigure(change.members());
    } else if (input instanceof Input.Installed installed) {
      execution.stateDurable(installed.state());
      install(installed.checkpoint());
      // While the snapshot came, some of its slots may have been handed over.
      execution.executed(installed.state());
    }
  }

  private void receive(NodeId from, Message message) {
    if (message instanceof Message.OfSlot ofSlot) {
      receive(from, ofSlot);
    } else if (message instanceof Message.Skip skip) {
      skipped(from, skip);
    } else if (message instanceof Message.Request request) {
      chooser.request(request.batch());
    } else if (message instanceof Message.Status status) {
      statusReporter.received(from, status.executed().index());
    } else if (message instanceof Message.FetchDecisions fetch) {
      peerHelp.answer(from, fetch);
    } else if (message instanceof Message.Decisions decisions) {
      catchUp.decisions(decisions);
    } else if (message instanceof Message.SnapshotOffer offer) {
      if (catchUp.isEnough(from, offer.checkpoint())) {
        install(offer.checkpoint());
      }
    }
  }

  private void receive(NodeId from, Message.OfSlot message) {
    long index = message.at().index();
    if (context.membership.isUnknown()) {
      context.counters.foreign++;
    } else if (index <= execution.executed().index()) {
      chooser.received(from, message);
      peerHelp.answerExecuted(from, message);
    } else if (!context.window.accepts(index)) {
      context.counters.beyondWindow++;
      catchUp.speaksAhead(from, index);
    } else {
      chooser.received(from, message);
      agreement.receive(from, message);
    }
  }

  private void skipped(NodeId from, Message.Skip skip) {
    if (!context.membership.isUnknown()) {
      chooser.skipped(from, skip);
    }
  }

  /** What follows from whatever has happened. */
  private void settle() {
    agreement.releaseHeld();
    if (!context.membership.isUnknown()) {
      // Q7, S3: new members wait for all slots before theirs.
      agreement.reach(context.membership.latest().configuration().start() - 1);
      chooser.advance();
    }
    execution.deliver();
    catchUp.advance();
    statusReporter.settle();
  }

  private void reconfigure(List<Member> members) {
    long latest = context.membership.latest().configuration().epoch();
    if (context.membership.latest().includesSelf()) {
      submissions.reconfigure(new Body.Reconfiguration(latest, members));
    }
  }

  private void install(Checkpoint checkpoint) {
    if (checkpoint.at().index() > execution.delivered()) {
      execution.install(checkpoint);
      checkpoints.installed();
      chooser.installed();
    }
  }

  private void replay(LogRecord record) {
    if (record instanceof LogRecord.Reservation reserved) {
      reservation.restore(reserved);
    } else if (record instanceof LogRecord.Checkpointed checkpointed) {
      reservation.restore(checkpointed.reservation());
    } else if (record instanceof LogRecord.Proposed p) {
      agreement.restore(new Message.Proposal(p.at(), p.id()), p.batch().orElse(null));
    } else if (record instanceof LogRecord.StateChosen s) {
      agreement.restore(new Message.State(s.at(), s.phase(), s.one(), s.candidate()), null);
    } else if (record instanceof LogRecord.Voted v) {
      agreement.restore(new Message.Vote(v.at(), v.phase(), v.ballot(), v.candidate()), null);
    } else if (record instanceof LogRecord.SlotDecided decided) {
      if (context.window.accepts(decided.at().index())) {
        agreement.learn(decided.at().index(), decided.decided());
      }
    }
  }

  private void start() {
    context.journal.start();
    long reservedEnd = reservation.current().end();
    reservation.begin();
    submissions.begin(reservation.current().incarnation());
    chooser.start(reservedEnd);
    agreement.start();
    statusReporter.start();
    catchUp.start();
  }

  /** When {@link Input.Tick} is due at the latest, on the clock of {@link #step}. */
  public long tickDueAt() {
    long due = Math.min(statusReporter.dueAt(), catchUp.dueAt());
    due = Math.min(due, agreement.heldUntil());
    boolean open = agreement.frontier() > execution.delivered();
    long latest = open ? context.settings.timing().contentWait() : IDLE_NANOS;
    return Math.min(due, context.now + latest);
  }

  /** The last slot that the state machine is known to have taken. */
  public Position executed() {
    return execution.executed();
  }

  /**
   * This replica's part of a quorum read, without the value, which is to be read from the state at
   * exactly {@link Share#applied} (Q2).
   *
   * @return empty while this replica may not answer: before it has executed again what its state
   *     holds, and after a reconfiguration until every slot before the new members' is executed
   *     (Q7). Ask again later, or another one.
   */
  public Optional<Share<Void>> share(KeyScope scope) {
    Configuration latest = context.membership.latest().configuration();
    boolean ready =
        !context.journal.isReplaying()
            && execution.hasCaughtUpWithState()
            && !context.membership.isUnknown()
            && latest.contains(context.self)
            && execution.executed().index() >= latest.start() - 1;
    if (!ready) {
      return Optional.empty();
    }
    long pending = shares.pending(scope);
    // Whatever epoch the pending slot is of: positions are compared by their index.
    Position at = pending < 0 ? Position.NONE : new Position(latest.epoch(), pending);
    return Optional.of(
        new Share<>(
            context.self, latest.epoch(), latest.faults() + 1, execution.executed(), at, null));
  }

  /** Up to which slot a replica has executed, as far as it has reported; very low if it has not. */
  public long executedBy(NodeId replica) {
    return replica.equals(context.self) ? executed().index() : context.peers.executed(replica);
  }

  /** The configuration that decides the next slot. */
  public Configuration presentConfiguration() {
    return context.membership.at(execution.executed().index() + 1).configuration();
  }

  /** The latest configuration that the executed slots contain; it may not have started. */
  public Configuration latestConfiguration() {
    return context.membership.latest().configuration();
  }

  /** Whether the executed state holds what the state machine made durable in earlier runs. */
  public boolean hasCaughtUpWithState() {
    return execution.hasCaughtUpWithState();
  }

  /**
   * Whether others are so far ahead that this replica takes no part in what they agree on: commands
   * and reads would wait here until it has caught up.
   */
  public boolean isBehind() {
    return context.peers.highest() - context.settings.alpha() > execution.executed().index();
  }

  /**
   * What belongs to a snapshot of the state machine beside the state itself: the newest checkpoint
   * that the state covers. After a restart the state may know more than the core; whoever installs
   * the two is then in the same situation.
   *
   * @return empty if the position is too old
   */
  public Optional<Checkpoint> checkpointFor(Position state) {
    return execution.ledger().checkpointAt(Math.min(state.index(), execution.executed().index()));
  }

  public Counters counters() {
    return context.counters;
  }
}
