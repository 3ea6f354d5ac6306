package io.quorate.rabia.core;

import io.quorate.consensus.KeyScope;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.ReadReply;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.protocol.Batch;
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
 * One replica of a group: a deterministic object that processes inputs and returns effects. It has
 * no clock, socket, disk, thread or source of randomness, and never blocks.
 *
 * <p>Not thread-safe: every method is called by one thread at a time.
 */
public final class Replica {
  private static final long IDLE_NANOS = 10_000_000_000L;

  /** More than a node is started while a replica keeps its log. */
  private static final long FIRST_OF_RETURNED = 1 << 20;

  private final Context context;
  private final ProposedWrites proposedWrites;
  private final SlotExecutor execution;
  private final WeakMvc agreement;
  private final Retransmission retransmission;
  private final ProposalQueue proposalQueue;
  private final SlotReservation reservation;
  private final CatchUp catchUp;
  private final StatusReporter statusReporter;
  private final PeerHelp peerHelp;
  private final Chooser chooser;
  private final Checkpoints checkpoints;
  private final Input.Visitor processor = new InputProcessor();

  /** Whether the replica began without the state of its group. */
  private final boolean joins;

  private boolean isIncarnationNew;

  /**
   * Creates a replica in the state of a checkpoint of its log, before the log is replayed.
   *
   * @param firstEpoch the first epoch in which this replica may be a member: {@link
   *     Configuration#firstEpoch} of the change by which it joined its group (S3)
   * @param start the newest checkpoint in the log that {@code stateDurable} covers, or the initial
   *     one. For a replica that is to join a group: the initial checkpoint of a configuration with
   *     epoch 0, whose members are the nodes to request the group's state from.
   * @param stateDurable the durable position of the state machine
   * @param writeSet returns the keys that a command may write; a pure function
   */
  public Replica(
      NodeId self,
      long firstEpoch,
      Settings settings,
      Checkpoint start,
      Position stateDurable,
      Function<ByteBuffer, KeyScope> writeSet) {
    this(self, firstEpoch, settings, start, stateDurable, writeSet, Coin.COMMON, Rules.PROTOCOL);
  }

  Replica(
      NodeId self,
      long firstEpoch,
      Settings settings,
      Checkpoint start,
      Position stateDurable,
      Function<ByteBuffer, KeyScope> writeSet,
      Coin coin,
      Rules rules) {
    context = new Context(self, firstEpoch, settings, rules, coin, start);
    joins = context.configurations.isUnknown();
    proposedWrites = new ProposedWrites(writeSet);
    execution = new SlotExecutor(context, proposedWrites, start, stateDurable);
    agreement = new WeakMvc(context, execution, proposedWrites);
    proposalQueue = new ProposalQueue(context);
    reservation = new SlotReservation(context);
    catchUp = new CatchUp(context, agreement, execution);
    statusReporter = new StatusReporter(context, execution);
    peerHelp = new PeerHelp(context, agreement, execution);
    checkpoints = new Checkpoints(context, execution, reservation);
    chooser =
        settings.policy() == Settings.Policy.OWNED
            ? new OwnedChooser(context, agreement, execution, proposalQueue, reservation)
            : new PublishedChooser(context, agreement, execution, proposalQueue, reservation);
    retransmission = new Retransmission(context, execution, chooser);
    agreement.use(chooser, retransmission);
  }

  /**
   * Processes one input. Does not block; the run time depends on the work that the input enables.
   *
   * @param nowNanos the reading of a monotonic clock of this process. Clocks of different replicas
   *     need not agree, and safety does not depend on them.
   * @return the effects, to be carried out in this order
   */
  public List<Effect> step(long nowNanos, Input input) {
    return step(nowNanos, List.of(input));
  }

  /**
   * Processes inputs in order. The work at the end of a step is done once for all of them, so that
   * they share messages.
   */
  public List<Effect> step(long nowNanos, List<? extends Input> inputs) {
    context.now = nowNanos;
    for (Input input : inputs) {
      if (context.effects.isReplaying() != isBeforeStart(input)) {
        throw new IllegalStateException("Input is not valid in this state: " + input);
      }
      input.accept(processor);
    }
    if (!context.effects.isReplaying()) {
      finishStep();
    } else {
      execution.deliver();
    }
    return context.effects.drain();
  }

  /**
   * Whether the input belongs before {@link Input.Started}. {@link Input.Executed} is valid before
   * and after it, so the result for it follows the current state.
   */
  private boolean isBeforeStart(Input input) {
    return input instanceof Input.Replayed
        || input instanceof Input.Started
        || (input instanceof Input.Executed && context.effects.isReplaying());
  }

  /** Passes each input to the parts of the replica that it concerns. */
  private final class InputProcessor implements Input.Visitor {
    @Override
    public void replayed(Input.Replayed input) {
      replay(input.record());
    }

    @Override
    public void started(Input.Started input) {
      start();
    }

    @Override
    public void received(Input.Received input) {
      receive(input.from(), input.message());
    }

    @Override
    public void propose(Input.Propose input) {
      ensureNewIncarnation();
      proposalQueue.propose(input.commands());
    }

    @Override
    public void reconfigure(Input.Reconfigure input) {
      long latest = context.configurations.latest().configuration().epoch();
      ensureNewIncarnation();
      if (context.configurations.latest().includesSelf()) {
        proposalQueue.reconfigure(
            new Body.Reconfiguration(latest, input.number(), input.members()));
      }
    }

    @Override
    public void durable(Input.Durable input) {
      context.effects.durable(input.through());
      agreement.countDurable();
      checkpoints.advance();
    }

    @Override
    public void executed(Input.Executed input) {
      execution.executed(input.through());
    }

    @Override
    public void stateDurable(Input.StateDurable input) {
      execution.stateDurable(input.through());
      checkpoints.stateDurable();
    }

    @Override
    public void installed(Input.Installed input) {
      execution.stateDurable(input.state());
      install(input.checkpoint());
      // Some slots of the snapshot may have been delivered while it was in transfer.
      execution.executed(input.state());
    }

    @Override
    public void notInLog(Input.NotInLog input) {
      peerHelp.offerSnapshot(input.to());
    }

    @Override
    public void connected(Input.Connected input) {
      retransmission.resendTo(input.peer());
      statusReporter.connected(input.peer());
    }

    @Override
    public void tick(Input.Tick input) {
      chooser.tick();
      retransmission.resendOverdue();
      statusReporter.tick();
      catchUp.tick();
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
      peerHelp.respond(from, fetch);
    } else if (message instanceof Message.Decisions decisions) {
      catchUp.decisions(decisions);
    } else {
      Message.SnapshotOffer offer = (Message.SnapshotOffer) message;
      if (catchUp.isCheckpointSufficient(from, offer.checkpoint())) {
        install(offer.checkpoint());
      }
    }
  }

  private void receive(NodeId from, Message.OfSlot message) {
    long index = message.at().index();
    if (context.configurations.isUnknown()) {
      context.counters.foreign++;
    } else if (index <= execution.executed().index()) {
      chooser.received(from, message);
      peerHelp.respondExecuted(from, message);
    } else if (!context.window.accepts(index)) {
      context.counters.beyondWindow++;
      catchUp.receivedBeyondWindow(from, index);
    } else {
      chooser.received(from, message);
      agreement.receive(from, message);
    }
  }

  private void skipped(NodeId from, Message.Skip skip) {
    if (!context.configurations.isUnknown()) {
      chooser.skipped(from, skip);
    }
  }

  /** Does the work at the end of a step, after all inputs have been processed. */
  private void finishStep() {
    agreement.releaseHeld();
    if (!context.configurations.isUnknown()) {
      // The members of a new configuration wait for all slots before its start (Q7, S3).
      context.window.reach(context.configurations.latest().configuration().start() - 1);
      chooser.advance();
    }
    execution.deliver();
    catchUp.advance();
    statusReporter.finishStep();
  }

  /**
   * Ensures, before the first batch since the start, that no earlier incarnation of this node has
   * used its number: a batch with the id of another one would count as executed (D2). The log of a
   * node that has lost its disk, or whose replica was removed, does not show its incarnations, but
   * the executed slots do, and a new member has executed every slot in which it may have been a
   * member before. An incarnation without an executed batch is avoided by the slot of the return.
   */
  private void ensureNewIncarnation() {
    if (isIncarnationNew || !context.configurations.latest().includesSelf()) {
      return;
    }
    isIncarnationNew = true;
    long used = execution.newestIncarnation(context.self);
    if (joins || used >= reservation.current().incarnation()) {
      reservation.begin(Math.max(used, FIRST_OF_RETURNED + execution.executed().index()) + 1);
      proposalQueue.begin(reservation.current().incarnation());
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
    if (record instanceof LogRecord.SlotDecided decided) {
      if (context.window.accepts(decided.at().index())) {
        agreement.learn(decided.at().index(), decided.decided());
      }
    } else if (record instanceof LogRecord.Reservation reserved) {
      reservation.restore(reserved);
    } else if (record instanceof LogRecord.Checkpointed checkpointed) {
      reservation.restore(checkpointed.reservation());
    } else {
      Optional<Batch> batch =
          record instanceof LogRecord.Proposed proposed ? proposed.batch() : Optional.empty();
      agreement.restore(messageOf(record), batch.orElse(null));
    }
  }

  /** The message that waited for the record (P0). */
  private static Message.Recorded messageOf(LogRecord record) {
    return switch (record.kind()) {
      case PROPOSED -> {
        LogRecord.Proposed proposed = (LogRecord.Proposed) record;
        yield new Message.Proposal(proposed.at(), proposed.id());
      }
      case STATE_CHOSEN -> {
        LogRecord.StateChosen state = (LogRecord.StateChosen) record;
        yield new Message.State(state.at(), state.phase(), state.one(), state.candidate());
      }
      case VOTED -> {
        LogRecord.Voted vote = (LogRecord.Voted) record;
        yield new Message.Vote(vote.at(), vote.phase(), vote.ballot(), vote.candidate());
      }
      case SLOT_DECIDED, RESERVATION, CHECKPOINTED ->
          throw new AssertionError("No message waits for " + record);
    };
  }

  private void start() {
    context.effects.start();
    long reservedEnd = reservation.current().end();
    reservation.begin();
    proposalQueue.begin(reservation.current().incarnation());
    chooser.start(reservedEnd);
    agreement.start();
    statusReporter.start();
    catchUp.start();
  }

  /** The latest time at which {@link Input.Tick} is due, on the clock of {@link #step}. */
  public long tickDueAt() {
    long due = Math.min(statusReporter.dueAt(), catchUp.dueAt());
    due = Math.min(due, agreement.heldUntil());
    boolean open = context.window.frontier() > execution.delivered();
    long latest = open ? context.settings.timing().contentWait() : IDLE_NANOS;
    return Math.min(due, context.now + latest);
  }

  /** The last slot that the state machine is known to have accepted. */
  public Position executed() {
    return execution.executed();
  }

  /**
   * The read reply of this replica for a quorum read, without the value. The caller reads the value
   * from the state at exactly {@link ReadReply#applied} (Q2).
   *
   * @return empty while this replica must not respond: before it has executed again what its state
   *     holds, while it is not a member, and after a reconfiguration until every slot before the
   *     start of the new configuration is executed (Q7). The caller retries later, or sends its
   *     request to another replica.
   */
  public Optional<ReadReply<Void>> reply(KeyScope scope) {
    Configuration latest = context.configurations.latest().configuration();
    boolean ready =
        !context.effects.isReplaying()
            && execution.hasCaughtUpWithState()
            && !context.configurations.isUnknown()
            && context.configurations.latest().includesSelf()
            && execution.executed().index() >= latest.start() - 1;
    if (!ready) {
      return Optional.empty();
    }
    long pending = proposedWrites.pending(scope);
    // The pending slot may belong to another epoch: positions are compared by their index.
    Position at = pending < 0 ? Position.NONE : new Position(latest.epoch(), pending);
    return Optional.of(
        new ReadReply<>(
            context.self, latest.epoch(), latest.faults() + 1, execution.executed(), at, null));
  }

  /**
   * The slot up to which a replica has executed, as far as it has reported; a very low number if it
   * has not.
   */
  public long executedBy(NodeId replica) {
    return replica.equals(context.self) ? executed().index() : context.peers.executed(replica);
  }

  /** Whether a member has reported anything since this replica was opened; itself, too. */
  public boolean hasReported(NodeId replica) {
    return replica.equals(context.self) || context.peers.hasReported(replica);
  }

  /** Whether this replica is among the members that decide the next slot. */
  public boolean isMember() {
    return context.configurations.at(execution.executed().index() + 1).includesSelf();
  }

  /** The configuration that decides the next slot. */
  public Configuration presentConfiguration() {
    return context.configurations.at(execution.executed().index() + 1).configuration();
  }

  /** The latest configuration in the executed slots. It may start at a later slot. */
  public Configuration latestConfiguration() {
    return context.configurations.latest().configuration();
  }

  /**
   * Whether the executed slots cover the state that the state machine made durable in earlier runs.
   */
  public boolean hasCaughtUpWithState() {
    return execution.hasCaughtUpWithState();
  }

  /**
   * Whether others are so far ahead that this replica does not take part in their agreement:
   * commands and reads would wait here until it has caught up.
   */
  public boolean isBehind() {
    return context.peers.highest() - context.settings.alpha() > execution.executed().index();
  }

  /**
   * The part of a snapshot beside the state of the state machine: the newest checkpoint that the
   * state covers. After a restart the state may be ahead of the core; a replica that installs the
   * two is then in the same situation.
   *
   * @return empty if the position is too old
   */
  public Optional<Checkpoint> checkpointFor(Position state) {
    return execution
        .decisionLog()
        .checkpointAt(Math.min(state.index(), execution.executed().index()));
  }

  public Counters counters() {
    return context.counters;
  }
}
