package io.quorate.rabia.core;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.core.step.Lsn;
import io.quorate.rabia.log.DecisionScan;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Decided;
import io.quorate.rabia.protocol.LogRecord;
import io.quorate.rabia.protocol.Message;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A group in virtual time: replicas with production timing, one message delay and one fsync
 * duration, an offered load, and faults of single replicas that a test switches on and off. Nothing
 * in it is random.
 */
final class VirtualGroup {
  static final long MICRO = TimeUnit.MICROSECONDS.toNanos(1);
  static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  static final long MESSAGE_DELAY = 100 * MICRO;
  static final long FSYNC = 200 * MICRO;

  /** The delay of a message beyond {@link #MESSAGE_DELAY}; negative if the message is lost. */
  @FunctionalInterface
  interface Link {
    long extraDelay(int from, int to, Message message);
  }

  private record Event(long at, long number, Node node, int run, Runnable action) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
  private final Settings settings;
  private final List<Member> members = new ArrayList<>();
  private final Checkpoint initial;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<String, Integer> sent = new TreeMap<>();
  private Link link = (from, to, message) -> 0;
  private long snapshotTransfer;
  private int snapshotsInstalled;
  private long now;
  private long number;
  private int lastCommand;

  VirtualGroup(int replicas, Settings settings) {
    this.settings = settings;
    for (int i = 0; i < replicas; i++) {
      members.add(new Member(id(i), InetSocketAddress.createUnresolved("n" + i, 1)));
    }
    initial = Checkpoint.initial(Configuration.first(members));
    for (int i = 0; i < replicas; i++) {
      nodes.add(new Node(i, initial));
    }
    nodes.forEach(Node::start);
  }

  /** Starts a replica that is no member, and receives the state from the members. */
  Node startLearner() {
    Node learner = new Node(nodes.size(), Checkpoint.initial(new Configuration(0, 0, members)));
    nodes.add(learner);
    learner.start();
    return learner;
  }

  private static NodeId id(int number) {
    return new NodeId("n" + number);
  }

  Node node(int number) {
    return nodes.get(number);
  }

  private Node node(NodeId id) {
    return nodes.get(Integer.parseInt(id.value().substring(1)));
  }

  void setLink(Link link) {
    this.link = link;
  }

  /** Snapshots arrive this long after they were requested; without this, never. */
  void setSnapshotTransfer(long nanos) {
    snapshotTransfer = nanos;
  }

  int snapshotsInstalled() {
    return snapshotsInstalled;
  }

  /** Each proposer proposes one command every {@code every} ns, for {@code duration} ns. */
  void offer(long duration, long every, int... proposers) {
    for (int proposer : proposers) {
      for (long at = now; at < now + duration; at += every) {
        schedule(at, nodes.get(proposer), nodes.get(proposer)::propose);
      }
    }
  }

  void run(long duration) {
    long end = now + duration;
    while (!events.isEmpty() && events.peek().at() <= end) {
      Event event = events.poll();
      now = event.at();
      if (event.run() == event.node().run) {
        event.action().run();
      }
    }
    now = end;
  }

  /** The number of batches that the node executes in each of the next {@code seconds} seconds. */
  List<Integer> batchesEachSecond(int node, int seconds) {
    List<Integer> each = new ArrayList<>();
    for (int i = 0; i < seconds; i++) {
      int before = nodes.get(node).executedBatches;
      run(SECOND);
      each.add(nodes.get(node).executedBatches - before);
    }
    return each;
  }

  /** The messages sent since {@link #resetSent}, counted once for each receiver. */
  int sent(Class<? extends Message> type) {
    return sent.getOrDefault(type.getSimpleName(), 0);
  }

  Map<String, Integer> sent() {
    return sent;
  }

  void resetSent() {
    sent.clear();
  }

  private void schedule(long at, Node node, Runnable action) {
    events.add(new Event(at, number++, node, node.run, action));
  }

  /** A process with a log and a state machine. */
  final class Node {
    private final int index;
    private final Checkpoint first;
    private final List<LogRecord> log = new ArrayList<>();
    private final ArrayDeque<Effect.Persist> unsynced = new ArrayDeque<>();
    private final List<Effect.Send> held = new ArrayList<>();
    private final ArrayDeque<Effect.Execute> queued = new ArrayDeque<>();
    private final Map<BatchId, Long> proposedAt = new HashMap<>();
    private final List<Long> latencies = new ArrayList<>();
    private Replica replica;
    private Lsn durable;
    private long tickAt;
    private long fsync = FSYNC;
    private boolean syncing;
    private boolean diskHangs;
    private boolean stateMachineHangs;
    private boolean unreachable;
    private boolean crashed;
    private boolean fetchingSnapshot;
    private int executedBatches;
    private int run;

    private Node(int index, Checkpoint first) {
      this.index = index;
      this.first = first;
    }

    Replica replica() {
      return replica;
    }

    /** The records that survive a crash, oldest first. */
    List<LogRecord> log() {
      return log;
    }

    /** The number of messages that wait for a record to be durable. */
    int held() {
      return held.size();
    }

    long executed() {
      return replica.executed().index();
    }

    int executedBatches() {
      return executedBatches;
    }

    void setFsync(long nanos) {
      fsync = nanos;
    }

    /** Its fsyncs do not return until {@link #releaseDisk}. */
    void hangDisk() {
      diskHangs = true;
    }

    void releaseDisk() {
      diskHangs = false;
      syncing = false;
      sync();
    }

    /** Its state machine executes nothing until {@link #releaseStateMachine}. */
    void hangStateMachine() {
      stateMachineHangs = true;
    }

    void releaseStateMachine() {
      stateMachineHangs = false;
      execute();
    }

    /** It receives nothing, and others receive nothing from it, until {@link #reconnect}. */
    void disconnect() {
      unreachable = true;
    }

    void reconnect() {
      unreachable = false;
      for (Node other : nodes) {
        if (other != this) {
          other.step(new Input.Connected(id(index)));
          step(new Input.Connected(id(other.index)));
        }
      }
    }

    /** Truncates the log up to the executed slot, as after a flush of the state. */
    void truncateLog() {
      log.removeIf(
          record -> record instanceof LogRecord.OfSlot ofSlot && ofSlot.at().index() <= executed());
    }

    /** Ends the node, which does not restart. */
    void crash() {
      crashed = true;
      run++;
    }

    /** The last slot that a replay of the synced records executes, from an empty state. */
    long replayed() {
      Replica fresh = newReplica();
      for (LogRecord record : log) {
        for (Effect effect : fresh.step(now, new Input.Replayed(record))) {
          fresh.step(now, new Input.Executed(((Effect.Execute) effect).at()));
        }
      }
      return fresh.executed().index();
    }

    void propose() {
      step(new Input.Propose(List.of(ByteBuffer.allocate(4).putInt(0, ++lastCommand))));
    }

    /** The median latency of the batches proposed here since {@link #resetLatencies}. */
    long medianLatency() {
      List<Long> sorted = latencies.stream().sorted().toList();
      return sorted.get(sorted.size() / 2);
    }

    void resetLatencies() {
      latencies.clear();
    }

    private void start() {
      unsynced.clear();
      held.clear();
      queued.clear();
      durable = Lsn.START;
      syncing = false;
      tickAt = Long.MAX_VALUE;
      replica = newReplica();
      step(new Input.Started());
    }

    private Replica newReplica() {
      return new Replica(
          id(index), 0, settings, first, Position.NONE, command -> KeyScope.key(Key.utf8("k")));
    }

    private void step(Input input) {
      if (crashed) {
        return;
      }
      replica.step(now, input).forEach(this::carryOut);
      execute();
      armTick();
    }

    private void execute() {
      while (!queued.isEmpty() && !stateMachineHangs) {
        Position last = Position.NONE;
        while (!queued.isEmpty()) {
          Effect.Execute next = queued.poll();
          last = next.at();
          next.batch().ifPresent(this::executed);
        }
        replica.step(now, new Input.Executed(last)).forEach(this::carryOut);
      }
    }

    private void executed(Batch batch) {
      executedBatches++;
      Long since = proposedAt.remove(batch.id());
      if (since != null) {
        latencies.add(now - since);
      }
    }

    private void armTick() {
      long due = Math.max(now + MICRO, replica.tickDueAt());
      if (due < tickAt) {
        tickAt = due;
        schedule(due, this, () -> tick(due));
      }
    }

    private void tick(long due) {
      if (tickAt == due) {
        tickAt = Long.MAX_VALUE;
        step(new Input.Tick());
      }
    }

    private void carryOut(Effect effect) {
      if (effect instanceof Effect.Persist persist) {
        unsynced.add(persist);
        sync();
      } else if (effect instanceof Effect.Send send) {
        if (send.after().isAfter(durable)) {
          held.add(send);
        } else {
          transmit(send);
        }
      } else if (effect instanceof Effect.Execute execute) {
        queued.add(execute);
      } else if (effect instanceof Effect.Batched batched) {
        proposedAt.put(batched.id(), now);
      } else if (effect instanceof Effect.FetchSnapshot fetch) {
        fetchSnapshot(node(fetch.from()));
      } else if (effect instanceof Effect.SendFromLog request) {
        sendFromLog(request);
      }
    }

    private void sendFromLog(Effect.SendFromLog request) {
      DecisionScan scan = new DecisionScan(request.from());
      log.forEach(scan::add);
      List<Decided> decided = scan.takeLast(request.slotsMax(), request.bytesMax());
      if (decided.isEmpty()) {
        schedule(now, this, () -> step(new Input.NotInLog(request.to())));
      } else {
        Message message = new Message.Decisions(request.from(), decided);
        transmit(new Effect.Send(List.of(request.to()), message, Lsn.START));
      }
    }

    private void sync() {
      if (syncing || diskHangs || unsynced.isEmpty()) {
        return;
      }
      syncing = true;
      Lsn last = unsynced.peekLast().lsn();
      schedule(now + fsync, this, () -> synced(last));
    }

    private void synced(Lsn last) {
      if (diskHangs) {
        return;
      }
      syncing = false;
      while (!unsynced.isEmpty() && !unsynced.peek().lsn().isAfter(last)) {
        log.add(unsynced.poll().record());
      }
      durable = last;
      List<Effect.Send> waiting = List.copyOf(held);
      held.clear();
      waiting.forEach(this::carryOut);
      step(new Input.Durable(last));
      sync();
    }

    private void transmit(Effect.Send send) {
      for (NodeId receiver : send.to()) {
        Node to = node(receiver);
        sent.merge(send.message().getClass().getSimpleName(), 1, Integer::sum);
        long extra = link.extraDelay(index, to.index, send.message());
        if (!unreachable && !to.unreachable && extra >= 0) {
          schedule(now + MESSAGE_DELAY + extra, to, () -> to.receive(index, send.message()));
        }
      }
    }

    private void receive(int from, Message message) {
      if (!unreachable && !nodes.get(from).unreachable) {
        step(new Input.Received(id(from), message));
      }
    }

    private void fetchSnapshot(Node source) {
      if (fetchingSnapshot || snapshotTransfer == 0) {
        return;
      }
      fetchingSnapshot = true;
      Position at = source.replica.executed();
      Checkpoint checkpoint = source.replica.checkpointFor(at).orElseThrow();
      schedule(
          now + snapshotTransfer,
          this,
          () -> {
            fetchingSnapshot = false;
            snapshotsInstalled++;
            queued.removeIf(slot -> at.covers(slot.at()));
            step(new Input.Installed(checkpoint, at));
          });
    }
  }
}
