package io.quorate.torture.simulation;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.ReadReply;
import io.quorate.rabia.core.Mutation;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.log.DecisionScan;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** A node with a disk, which drives a replica in virtual time as production does. */
final class SimulatedNode {
  private final Simulation simulation;
  private final Scheduler scheduler;
  private final NodeId id;
  private final Checkpoint initial;
  private final long firstEpoch;
  private final ArrayDeque<Input> inputs = new ArrayDeque<>();
  private final SimulatedProposals proposals = new SimulatedProposals();
  private final Executor executor = new Executor();
  private final ArrayDeque<Effect.Send> unsent = new ArrayDeque<>();
  private final BarrierReads barrierReads = new BarrierReads();
  private final SimulatedDisk disk;
  private SimulatedMachine machine;
  private Replica replica;
  private int run;
  private boolean stepping;
  private boolean syncing;
  private boolean fetchingSnapshot;
  private long tickAt;
  private long clockOffset;
  private double clockRate;
  private Lsn durable = Lsn.START;
  private boolean lost;
  private boolean slow;
  private boolean diskHangs;
  private boolean stateMachineHangs;
  private boolean replaying;
  private long pausedUntil;

  /**
   * @param firstEpoch the first epoch in which the replica may be a member
   */
  SimulatedNode(Simulation simulation, NodeId id, Checkpoint initial, long firstEpoch) {
    this.simulation = simulation;
    this.scheduler = simulation.scheduler();
    this.id = id;
    this.initial = initial;
    this.firstEpoch = firstEpoch;
    this.disk =
        new SimulatedDisk(
            simulation.mutation(), record -> simulation.invariants().durable(id, record));
  }

  NodeId id() {
    return id;
  }

  boolean isUp() {
    return replica != null;
  }

  boolean isLost() {
    return lost;
  }

  Replica replica() {
    return replica;
  }

  SimulatedMachine machine() {
    return machine;
  }

  void setSlow(boolean isSlow) {
    slow = isSlow;
  }

  /** Blocks every fsync until {@link #heal}. */
  void hangDisk() {
    diskHangs = true;
  }

  /** Blocks the state machine, which applies nothing until {@link #heal}. */
  void hangStateMachine() {
    stateMachineHangs = true;
  }

  void heal() {
    slow = false;
    diskHangs = false;
    stateMachineHangs = false;
    if (isUp()) {
      sync();
    }
  }

  /** Moves the clock of this process ahead. */
  void jumpClock(long nanos) {
    clockOffset += nanos;
  }

  void start() {
    run++;
    pausedUntil = 0;
    clockOffset = scheduler.between(0L, 1_000_000_000L);
    clockRate = 0.9 + 0.2 * scheduler.random().nextDouble();
    durable = Lsn.START;
    tickAt = Long.MAX_VALUE;
    syncing = false;
    fetchingSnapshot = false;
    machine = disk.loadState();
    replica =
        simulation
            .mutation()
            .replica(
                id,
                firstEpoch,
                simulation.settings(),
                disk.checkpoint(initial),
                machine.position(),
                SimulatedCommand::writeSet,
                simulation.coin(id));
    replaying = true;
    for (LogRecord record : List.copyOf(disk.records())) {
      step(new Input.Replayed(record));
    }
    replaying = false;
    step(new Input.Started());
  }

  /**
   * Simulates power loss: the node ends, and of its unsynced records a random number of the first
   * ones survives.
   */
  void crash() {
    countCoverage();
    simulation.coverage().add("crashes", 1);
    int surviving = scheduler.between(0, disk.unsynced());
    replica = null;
    machine = null;
    inputs.clear();
    proposals.clear();
    unsent.clear();
    barrierReads.clear();
    stepping = false;
    run++;
    disk.crash(surviving);
  }

  void countCoverage() {
    simulation.coverage().add(replica.counters());
  }

  /** Ends the node and destroys its disk. */
  void lose() {
    if (isUp()) {
      crash();
    }
    lost = true;
    simulation.coverage().add("disks lost", 1);
  }

  private long localNow() {
    return clockOffset + (long) (scheduler.now() * clockRate);
  }

  /** Suspends the process. Inputs that arrive meanwhile are processed when the pause ends. */
  void pause(long duration) {
    pausedUntil = scheduler.now() + duration;
  }

  private boolean isPaused() {
    return scheduler.now() < pausedUntil;
  }

  /**
   * Runs an action after a delay: not if the node has ended since, and after the pause if the node
   * is paused then.
   */
  private void in(long delay, Runnable action) {
    int scheduledIn = run;
    scheduler.in(
        delay,
        () -> {
          if (run != scheduledIn) {
            return;
          }
          if (isPaused()) {
            in(pausedUntil - scheduler.now(), action);
          } else {
            action.run();
          }
        });
  }

  void step(Input input) {
    if (replica == null) {
      return;
    }
    if (isPaused()) {
      in(pausedUntil - scheduler.now(), () -> step(input));
      return;
    }
    inputs.add(input);
    if (stepping) {
      return;
    }
    stepping = true;
    while (!inputs.isEmpty()) {
      for (Effect effect : replica.step(localNow(), inputs.poll())) {
        effect.accept(executor);
      }
    }
    stepping = false;
    simulation.check(this);
    barrierReads.complete(replica, machine);
    armTick();
  }

  private void armTick() {
    long localDelay = Math.max(1_000, replica.tickDueAt() - localNow());
    long at = scheduler.now() + (long) (localDelay / clockRate) + 1;
    if (at < tickAt) {
      tickAt = at;
      in(at - scheduler.now(), () -> tick(at));
    }
  }

  private void tick(long at) {
    if (at == tickAt) {
      tickAt = Long.MAX_VALUE;
      step(new Input.Tick());
    }
  }

  /** Carries out the effects of the replica on the simulated disk, network and state machine. */
  private final class Executor implements Effect.Visitor {
    @Override
    public void persist(Effect.Persist effect) {
      if (effect.record() instanceof LogRecord.SlotDecided decided) {
        simulation.invariants().decided(decided);
      }
      disk.append(effect);
      sync();
    }

    @Override
    public void send(Effect.Send effect) {
      SimulatedNode.this.send(effect);
    }

    @Override
    public void execute(Effect.Execute effect) {
      SimulatedNode.this.execute(effect);
    }

    @Override
    public void batched(Effect.Batched effect) {
      proposals.batched(effect);
    }

    @Override
    public void refused(Effect.Refused effect) {
      proposals.refused(effect);
    }

    @Override
    public void overtaken(Effect.Overtaken effect) {
      proposals.overtaken(effect.id());
    }

    @Override
    public void fetchSnapshot(Effect.FetchSnapshot effect) {
      SimulatedNode.this.fetchSnapshot(effect);
    }

    @Override
    public void sendFromLog(Effect.SendFromLog effect) {
      SimulatedNode.this.sendFromLog(effect);
    }

    @Override
    public void flush(Effect.Flush effect) {
      in(scheduler.between(100_000L, 1_000_000L), SimulatedNode.this::flush);
    }

    @Override
    public void truncate(Effect.Truncate effect) {
      disk.truncate(effect.through());
    }
  }

  private void sync() {
    if (syncing || diskHangs || !disk.hasUnsynced()) {
      return;
    }
    syncing = true;
    // A record for which no message waits is synced with the next urgent one, or after 2 ms.
    long delay = disk.hasUrgent() ? simulation.fsyncDelay(slow) : 2_000_000;
    Lsn last = disk.last();
    in(
        delay,
        () -> {
          syncing = false;
          if (diskHangs) {
            return;
          }
          disk.sync(last);
          durable = last;
          releaseSends();
          step(new Input.Durable(last));
          sync();
        });
  }

  private void send(Effect.Send send) {
    boolean early =
        simulation.mutation() == Mutation.VOLATILE_PROPOSALS_ARE_SENT
            && send.message() instanceof Message.Proposal;
    if (early || !send.after().isAfter(durable)) {
      transmit(send);
    } else {
      unsent.add(send);
    }
  }

  private void releaseSends() {
    for (Iterator<Effect.Send> sends = unsent.iterator(); sends.hasNext(); ) {
      Effect.Send send = sends.next();
      if (!send.after().isAfter(durable)) {
        sends.remove();
        transmit(send);
      }
    }
  }

  private void transmit(Effect.Send send) {
    simulation.invariants().sent(id, send.message());
    for (NodeId to : send.to()) {
      simulation.transmit(id, to, send.message());
    }
  }

  private void execute(Effect.Execute execute) {
    // Later records may belong to slots that enter the window only by this execution (T4).
    long delay = replaying ? 0 : simulation.executionDelay(slow);
    if (delay == 0) {
      apply(execute);
    } else {
      in(delay, () -> apply(execute));
    }
  }

  private void apply(Effect.Execute execute) {
    if (stateMachineHangs && !replaying) {
      in(1_000_000, () -> apply(execute));
      return;
    }
    if (execute.at().index() != machine.position().index() + 1) {
      if (execute.at().index() > machine.position().index()) {
        // Executions with delays of their own may overtake each other; in production they do not.
        in(10_000, () -> apply(execute));
      }
      return;
    }
    execute.batch().ifPresent(batch -> requireBody(execute.at(), batch));
    machine.apply(
        execute.at(),
        execute.batch(),
        (command, at) -> simulation.invariants().effective(command, at));
    simulation.invariants().executed(execute.at(), execute.batch(), machine.hash());
    execute.batch().ifPresent(batch -> proposals.executed(batch.id(), machine));
    step(new Input.Executed(execute.at()));
  }

  /** Requires that the log or the durable state has the batch body of an executed slot (16). */
  private void requireBody(Position at, Batch batch) {
    Violation.require(
        disk.holdsBody(at, batch.id()),
        "(16)",
        () -> id + " executes " + at + " without its body in the log");
  }

  private void fetchSnapshot(Effect.FetchSnapshot fetch) {
    if (fetchingSnapshot) {
      return;
    }
    fetchingSnapshot = true;
    in(
        scheduler.between(200_000L, 2_000_000L),
        () -> {
          fetchingSnapshot = false;
          simulation.node(fetch.from()).flatMap(SimulatedNode::export).ifPresent(this::install);
        });
  }

  private void sendFromLog(Effect.SendFromLog request) {
    in(
        scheduler.between(50_000L, 500_000L),
        () -> {
          DecisionScan scan = new DecisionScan(request.from());
          disk.records().forEach(scan::add);
          List<Decided> decided = scan.takeLast(request.slotsMax(), request.bytesMax());
          if (decided.isEmpty()) {
            step(new Input.NotInLog(request.to()));
          } else {
            simulation.coverage().add("decisions sent from the log", decided.size());
            Message message = new Message.Decisions(request.from(), decided);
            transmit(new Effect.Send(List.of(request.to()), message, Lsn.START));
          }
        });
  }

  private record Snapshot(SimulatedMachine machine, Checkpoint checkpoint) {}

  private Optional<Snapshot> export() {
    if (!isUp() || isPaused()) {
      return Optional.empty();
    }
    return replica
        .checkpointFor(machine.position())
        .map(checkpoint -> new Snapshot(machine.copy(), checkpoint));
  }

  private void install(Snapshot snapshot) {
    if (snapshot.machine().position().compareTo(machine.position()) > 0) {
      machine = snapshot.machine();
      disk.storeState(machine.copy());
      simulation.snapshotInstalled();
      step(new Input.Installed(snapshot.checkpoint(), machine.position()));
    }
  }

  /** Makes the state of the state machine durable. */
  void flush() {
    if (isUp() && !isPaused() && !diskHangs) {
      disk.storeState(machine.copy());
      step(new Input.StateDurable(machine.position()));
    }
  }

  void propose(SimulatedCommand command, Runnable done) {
    if (isUp()) {
      proposals.proposed(command, done);
      step(new Input.Propose(List.<ByteBuffer>of(command.encode())));
    }
  }

  /** The read reply for a key (Q2); empty while the node cannot reply. */
  Optional<ReadReply<Integer>> readReply(int key) {
    if (!isUp() || isPaused()) {
      return Optional.empty();
    }
    return replica
        .reply(io.quorate.consensus.KeyScope.key(SimulatedCommand.key(key)))
        .map(
            reply ->
                new ReadReply<>(
                    reply.replica(),
                    reply.epoch(),
                    reply.quorum(),
                    reply.applied(),
                    reply.pending(),
                    machine.value(key)));
  }

  void readAt(Position barrier, int key, Simulation.BarrierReply reply) {
    if (isUp()) {
      barrierReads.add(barrier, key, reply);
      if (!isPaused()) {
        barrierReads.complete(replica, machine);
      }
    }
  }
}
