package io.quorate.rabia.simulation;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.ReadReply;
import io.quorate.rabia.core.Effect;
import io.quorate.rabia.core.Input;
import io.quorate.rabia.core.Lsn;
import io.quorate.rabia.core.Mutation;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.log.DecisionScan;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A process with a disk: drives a replica as production does, in virtual time. */
final class SimulatedNode {
  /** Whoever proposed a command, waiting for it to take effect. */
  private record Waiting(SimulatedCommand command, Runnable done) {}

  /** A read that waits for a barrier (Q3). */
  private record BarrierRead(Position barrier, int key, Simulation.BarrierReply reply) {}

  private final Simulation simulation;
  private final Scheduler scheduler;
  private final NodeId id;
  private final Checkpoint initial;
  private final ArrayDeque<Input> inputs = new ArrayDeque<>();
  private final ArrayDeque<Waiting> unbatched = new ArrayDeque<>();
  private final Map<BatchId, List<Waiting>> batched = new HashMap<>();
  private final ArrayDeque<Effect.Send> unsent = new ArrayDeque<>();
  private final List<BarrierRead> barrierReads = new ArrayList<>();
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

  SimulatedNode(Simulation simulation, NodeId id, Checkpoint initial) {
    this.simulation = simulation;
    this.scheduler = simulation.scheduler();
    this.id = id;
    this.initial = initial;
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

  /** No fsync returns until {@link #heal}. */
  void hangDisk() {
    diskHangs = true;
  }

  /** The state machine takes nothing until {@link #heal}. */
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

  /** The clock of this process leaps ahead. */
  void jumpClock(long by) {
    clockOffset += by;
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

  /** Power is lost. */
  void crash() {
    countCoverage();
    simulation.coverage().add("crashes", 1);
    int surviving = scheduler.between(0, disk.unsynced());
    replica = null;
    machine = null;
    inputs.clear();
    unbatched.clear();
    batched.clear();
    unsent.clear();
    barrierReads.clear();
    stepping = false;
    run++;
    disk.crash(surviving);
  }

  void countCoverage() {
    simulation.coverage().add(replica.counters());
  }

  /** Power and disk are lost, for good. */
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

  /** Nothing happens here for a while, and then everything that came meanwhile. */
  void pause(long duration) {
    pausedUntil = scheduler.now() + duration;
  }

  private boolean isPaused() {
    return scheduler.now() < pausedUntil;
  }

  /** Does nothing if this node has ended since; later if it is paused then. */
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
        carryOut(effect);
      }
    }
    stepping = false;
    simulation.check(this);
    answerBarrierReads();
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

  private void carryOut(Effect effect) {
    if (effect instanceof Effect.Persist persist) {
      if (persist.record() instanceof LogRecord.SlotDecided decided) {
        simulation.invariants().decided(decided);
      }
      disk.append(persist);
      sync();
    } else if (effect instanceof Effect.Send send) {
      send(send);
    } else if (effect instanceof Effect.Execute execute) {
      execute(execute);
    } else if (effect instanceof Effect.Batched made) {
      List<Waiting> waiting = new ArrayList<>();
      for (int i = 0; i < made.commands(); i++) {
        waiting.add(unbatched.poll());
      }
      batched.put(made.id(), waiting);
    } else if (effect instanceof Effect.Refused refused) {
      for (int i = 0; i < refused.commands(); i++) {
        unbatched.pollLast();
      }
    } else if (effect instanceof Effect.Overtaken overtaken) {
      batched.remove(overtaken.id());
    } else if (effect instanceof Effect.FetchSnapshot fetch) {
      fetchSnapshot(fetch);
    } else if (effect instanceof Effect.SendFromLog wanted) {
      sendFromLog(wanted);
    } else if (effect instanceof Effect.Flush) {
      in(scheduler.between(100_000L, 1_000_000L), this::flush);
    } else if (effect instanceof Effect.Truncate truncate) {
      disk.truncate(truncate.through());
    }
  }

  private void sync() {
    if (syncing || diskHangs || !disk.hasUnsynced()) {
      return;
    }
    syncing = true;
    // What nothing waits for goes with the next fsync, or after a while.
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
        simulation.mutation() == Mutation.VOLATILE_PROPOSALS_LEAVE
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
    simulation.invariants().leaves(id, send.message());
    for (NodeId to : send.to()) {
      simulation.transmit(id, to, send.message());
    }
  }

  private void execute(Effect.Execute execute) {
    // The log may speak of slots that only executed ones lead to.
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
        // Executions of one delay each may overtake each other here; not in production.
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
    execute.batch().map(Batch::id).map(batched::remove).ifPresent(this::answer);
    step(new Input.Executed(execute.at()));
  }

  /** Whoever executes a slot can execute it again after a restart. */
  private void requireBody(Position at, Batch batch) {
    Violation.require(
        disk.holdsBody(at, batch.id()),
        "(16)",
        () -> id + " executes " + at + " without its body in the log");
  }

  private void answer(List<Waiting> waiting) {
    for (Waiting one : waiting) {
      if (machine.hasSeen(one.command().client(), one.command().sequence())) {
        one.done().run();
      }
    }
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

  private void sendFromLog(Effect.SendFromLog wanted) {
    in(
        scheduler.between(50_000L, 500_000L),
        () -> {
          DecisionScan scan = new DecisionScan(wanted.from(), simulation.settings().alpha());
          disk.records().forEach(scan::add);
          List<Decided> decided = scan.take(wanted.slotsMax(), wanted.bytesMax(), true);
          if (decided.isEmpty()) {
            step(new Input.NotInLog(wanted.to()));
          } else {
            simulation.coverage().add("decisions sent from the log", decided.size());
            Message message = new Message.Decisions(wanted.from(), decided);
            transmit(new Effect.Send(List.of(wanted.to()), message, Lsn.START));
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
      simulation.installed();
      step(new Input.Installed(snapshot.checkpoint(), machine.position()));
    }
  }

  /** The state machine becomes durable, as it does now and then. */
  void flush() {
    if (isUp() && !isPaused() && !diskHangs) {
      disk.storeState(machine.copy());
      step(new Input.StateDurable(machine.position()));
    }
  }

  void propose(SimulatedCommand command, Runnable done) {
    if (isUp()) {
      unbatched.add(new Waiting(command, done));
      step(new Input.Propose(List.<ByteBuffer>of(command.encode())));
    }
  }

  /** Q2. */
  Optional<ReadReply<Integer>> share(int key) {
    if (!isUp() || isPaused()) {
      return Optional.empty();
    }
    return replica
        .reply(io.quorate.consensus.KeyScope.key(SimulatedCommand.key(key)))
        .map(
            s ->
                new ReadReply<>(
                    s.replica(),
                    s.epoch(),
                    s.quorum(),
                    s.applied(),
                    s.pending(),
                    machine.value(key)));
  }

  void readAt(Position barrier, int key, Simulation.BarrierReply reply) {
    if (isUp()) {
      barrierReads.add(new BarrierRead(barrier, key, reply));
      if (!isPaused()) {
        answerBarrierReads();
      }
    }
  }

  private void answerBarrierReads() {
    for (Iterator<BarrierRead> reads = barrierReads.iterator(); reads.hasNext(); ) {
      BarrierRead read = reads.next();
      if (replica.hasCaughtUpWithState() && replica.executed().covers(read.barrier())) {
        reads.remove();
        read.reply()
            .answer(
                replica.latestConfiguration().epoch(),
                replica.executed(),
                machine.value(read.key()));
      }
    }
  }
}
