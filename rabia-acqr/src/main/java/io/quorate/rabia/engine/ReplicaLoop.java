package io.quorate.rabia.engine;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.quorate.consensus.GroupView;
import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.core.Effect;
import io.quorate.rabia.core.Input;
import io.quorate.rabia.core.Lsn;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.log.ReplicaLog;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Message;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The thread of one replica: takes in what has happened, steps the core, and carries out what it
 * wants. Work comes in turns; a turn takes what there is, so that under load many messages and
 * commands share one fsync, one flush of the sockets and one look at the clock.
 */
final class ReplicaLoop {
  /** Then disks, clocks and clients get their turn, too. */
  private static final int MESSAGES_A_TURN = 512;

  /** How many messages one step of the core takes at most: what follows from them is bounded. */
  private static final int MESSAGES_A_STEP = 64;

  /** When a replica that waits for nothing takes a turn, to be sure. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How old what others see of the group may be while turns follow each other. */
  private static final long VIEW_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** What the loop sends by; it may drop what it is given. */
  interface Outlet {
    void send(List<NodeId> to, Message message);

    /** What was sent since leaves now. */
    void flush();

    /** These are to be reached from now on. */
    void link(Collection<Member> members);

    /** A node that was linked and did not become a member need not be reached any more. */
    void unlink(NodeId node);

    /** Whether anything has come from the node's process lately, for whatever group. */
    boolean isReachable(NodeId node);
  }

  /** Takes part in every turn. On the replica's thread. */
  interface Guest {
    /** The core has been stepped; what it wants is done. */
    void turn(long nowNanos);

    /** When the next turn is needed at the latest. */
    long dueAt(long nowNanos);
  }

  private record Held(List<NodeId> to, Message message, Lsn after) {}

  private final NodeId self;
  private final EventLoop loop;
  private final Replica replica;
  private final ReplicaLog log;
  private final Outlet outlet;
  private final Inbox inbox;
  private final Proposals proposals;
  private final HandOver handOver;
  private final DiskReserve reserve;
  private final Consumer<Effect> elsewhere;
  private final Consumer<Throwable> onFailure;

  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong durable = new AtomicLong(Lsn.START.value());
  private volatile boolean stopped;
  private volatile GroupView view;

  // The replica's thread alone.
  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private final List<Input.Received> arrived = new ArrayList<>(MESSAGES_A_STEP);
  private final List<Guest> guests = new ArrayList<>();
  private Lsn released = Lsn.START;
  private long linkedEpoch = Long.MIN_VALUE;
  private boolean started;
  private ScheduledFuture<?> timer;
  private long timerAt = Long.MAX_VALUE;

  /** The last record that a message waits for. */
  private Lsn urgent = Lsn.START;

  private final StallWatch disk = new StallWatch();
  private final StallWatch stateMachine = new StallWatch();

  private long viewedAt = ReplicaClock.nanos() - VIEW_NANOS;

  /**
   * @param opened what there was on disk, replayed, not started
   * @param elsewhere carries out what is neither for log, network, nor state machine
   * @param onFailure told once, on the replica's thread, when it cannot go on
   */
  ReplicaLoop(
      NodeId self,
      EventLoop loop,
      OpenedReplica opened,
      Outlet outlet,
      Inbox inbox,
      Proposals proposals,
      DiskReserve reserve,
      Consumer<Effect> elsewhere,
      Consumer<Throwable> onFailure) {
    this.self = self;
    this.loop = loop;
    this.replica = opened.replica();
    this.log = opened.log();
    this.outlet = outlet;
    this.inbox = inbox;
    this.proposals = proposals;
    this.handOver = opened.handOver();
    this.reserve = reserve;
    this.elsewhere = elsewhere;
    this.onFailure = onFailure;
    this.view = look(ReplicaClock.nanos());
  }

  /** Before {@link #start}. */
  void add(Guest guest) {
    guests.add(guest);
  }

  /** From now on the replica speaks. Any thread; once. */
  void start() {
    execute(
        () -> {
          started = true;
          outlet.link(replica.latestConfiguration().members());
          step(new Input.Started());
        });
  }

  /** Something has come that the next turn takes. Any thread. */
  void wake() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      loop.execute(this::run);
    }
  }

  /** Runs something on the replica's thread, and then a turn. Any thread. */
  void execute(Runnable task) {
    loop.execute(
        () -> {
          guarded(task);
          wake();
        });
  }

  /** Gives the core an input, once it speaks. Any thread. */
  void tell(Input input) {
    execute(() -> take(input));
  }

  /** The same at once, on the replica's thread. */
  void take(Input input) {
    if (started) {
      step(input);
    }
  }

  /** The log's thread. */
  void durable(Lsn through) {
    durable.accumulateAndGet(through.value(), Math::max);
    wake();
  }

  /** What the state machine has taken. On the replica's thread. */
  Position executed() {
    return handOver.taken();
  }

  /** The group as this replica saw it last. Any thread. */
  GroupView view() {
    return view;
  }

  /**
   * Does nothing more. Any thread but the replica's; blocks until its turn has ended.
   *
   * @param last done in the end, on the replica's thread
   */
  void close(Runnable last) {
    CompletableFuture<Void> ended = new CompletableFuture<>();
    loop.execute(
        () -> {
          stop();
          last.run();
          ended.complete(null);
        });
    ended.join();
  }

  private void stop() {
    stopped = true;
    if (timer != null) {
      timer.cancel(false);
    }
  }

  /** The other members, those heard from lately first. On the replica's thread. */
  List<NodeId> othersByLiveness(int turn) {
    List<Member> members = replica.latestConfiguration().members();
    List<NodeId> lively = new ArrayList<>();
    List<NodeId> silent = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      NodeId node = members.get(Math.floorMod(turn + i, members.size())).node();
      if (!node.equals(self)) {
        (outlet.isReachable(node) ? lively : silent).add(node);
      }
    }
    lively.addAll(silent);
    return lively;
  }

  private void run() {
    scheduled.set(false);
    guarded(this::turn);
  }

  private void guarded(Runnable task) {
    if (stopped) {
      return;
    }
    try {
      task.run();
    } catch (RuntimeException | AssertionError e) {
      stop();
      onFailure.accept(e);
    }
  }

  private void turn() {
    if (!started) {
      // Messages may be lost; they come again.
      while (inbox.poll() != null) {
        continue;
      }
      return;
    }
    hearDisk();
    hearOthers();
    if (!proposals.isIdle() && hasRoom()) {
      List<ByteBuffer> payloads = proposals.take();
      if (!payloads.isEmpty()) {
        step(new Input.Propose(payloads));
      }
    }
    long now = ReplicaClock.nanos();
    if (replica.tickDueAt() - now <= 0) {
      step(new Input.Tick());
    }
    while (handOver.next(this::wake)) {
      step(new Input.Executed(handOver.taken()));
      stateMachine.progressed(now);
    }
    guests.forEach(guest -> guest.turn(now));
    log.flush();
    outlet.flush();
    linkMembers();
    disk.update(urgent.isAfter(released) || !hasRoom(), now);
    stateMachine.update(handOver.isWaiting(), now);
    if (isStalled(now)) {
      // Elsewhere clients get an answer sooner.
      proposals.giveUp("The disk or the state machine of this replica hangs.");
    }
    if (now - viewedAt >= VIEW_NANOS) {
      viewedAt = now;
      view = look(now);
    }
    if (hasRoom() && !(inbox.isEmpty() && proposals.isIdle())) {
      wake();
    }
    setTimer(now);
  }

  /** Without room the disk is behind, or nearly full, and it is reported when that has ended. */
  private boolean hasRoom() {
    return log.hasRoom() && !reserve.isLow();
  }

  private void hearDisk() {
    Lsn through = new Lsn(durable.get());
    if (!through.isAfter(released)) {
      return;
    }
    released = through;
    disk.progressed(ReplicaClock.nanos());
    while (!held.isEmpty() && !held.peek().after().isAfter(through)) {
      Held next = held.remove();
      outlet.send(next.to(), next.message());
    }
    step(new Input.Durable(through));
  }

  private void hearOthers() {
    for (int taken = 0; taken < MESSAGES_A_TURN && hasRoom(); taken += arrived.size()) {
      arrived.clear();
      while (arrived.size() < MESSAGES_A_STEP) {
        Input.Received next = inbox.poll();
        if (next == null) {
          break;
        }
        arrived.add(next);
      }
      if (arrived.isEmpty()) {
        return;
      }
      replica.step(ReplicaClock.nanos(), arrived).forEach(this::carryOut);
    }
  }

  private void step(Input input) {
    replica.step(ReplicaClock.nanos(), input).forEach(this::carryOut);
  }

  private void carryOut(Effect effect) {
    if (effect instanceof Effect.Send send) {
      send(send);
    } else if (effect instanceof Effect.Persist persist) {
      log.append(persist.lsn(), persist.record(), persist.lazily());
      urgent = persist.lazily() ? urgent : persist.lsn();
    } else if (effect instanceof Effect.Execute execute) {
      List<PendingCommand> own =
          execute.batch().map(batch -> proposals.executed(batch.id())).orElse(List.of());
      handOver.add(execute, own);
    } else if (effect instanceof Effect.Batched batched) {
      proposals.batched(batched);
    } else if (effect instanceof Effect.Refused refused) {
      proposals.refused(refused);
    } else if (effect instanceof Effect.Overtaken overtaken) {
      proposals.overtaken(overtaken.id());
    } else {
      elsewhere.accept(effect);
    }
  }

  /** P0. What is held back is bounded by the slots that the core speaks in. */
  private void send(Effect.Send send) {
    if (send.after().isAfter(released)) {
      held.add(new Held(send.to(), send.message(), send.after()));
    } else {
      outlet.send(send.to(), send.message());
    }
  }

  private void linkMembers() {
    Configuration latest = replica.latestConfiguration();
    if (latest.epoch() != linkedEpoch) {
      linkedEpoch = latest.epoch();
      outlet.link(latest.members());
    }
  }

  private void setTimer(long now) {
    long due = replica.tickDueAt();
    due = Math.min(due, Math.min(disk.dueAt(now), stateMachine.dueAt(now)));
    for (Guest guest : guests) {
      long other = guest.dueAt(now);
      due = other - due < 0 ? other : due;
    }
    if (timer != null && timerAt - due <= 0 && timerAt - now > 0) {
      return;
    }
    if (timer != null) {
      timer.cancel(false);
    }
    timerAt = due;
    timer = loop.schedule(this::wake, Math.max(0, due - now), TimeUnit.NANOSECONDS);
  }

  private GroupView look(long now) {
    Configuration present = replica.presentConfiguration();
    long heard =
        present.members().stream()
            .filter(member -> member.node().equals(self) || outlet.isReachable(member.node()))
            .count();
    boolean serving =
        started
            && present.contains(self)
            && replica.hasCaughtUpWithState()
            && !replica.isBehind()
            && !isStalled(now)
            && heard >= present.quorum();
    return new GroupView(
        present.epoch(), present.members(), Optional.empty(), serving, handOver.taken());
  }

  /** Nothing of what clients send is executed here while the disk or the state machine hangs. */
  private boolean isStalled(long now) {
    return disk.isStalled(now) || stateMachine.isStalled(now);
  }

  /** The due time of a task that waits for nothing. */
  static long idle(long nowNanos) {
    return nowNanos + IDLE_NANOS;
  }
}
