package io.quorate.rabia.engine;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.Replica;
import io.quorate.rabia.core.step.Effect;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.core.step.Lsn;
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
 * The loop of one replica, on one thread: passes inputs to the core and carries out its effects. An
 * iteration processes everything that is queued, so that under load many messages and commands
 * share one fsync, one flush of the sockets and one reading of the clock.
 */
final class ReplicaLoop {
  /** Bounds the delay that messages add to disk reports, timers and client commands. */
  private static final int MESSAGES_PER_ITERATION_MAX = 512;

  /** The maximum number of messages in one step of the core, which bounds its effects. */
  private static final int MESSAGES_PER_STEP_MAX = 64;

  /** The interval between iterations of a replica that waits for nothing, as a safeguard. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The maximum age of the published group status while iterations follow each other. */
  private static final long VIEW_AGE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(5);

  /** The transport as the loop uses it; it may drop messages. */
  interface Network {
    void send(List<NodeId> to, Message message);

    /** Transmits the messages that were sent since the last flush. */
    void flush();

    /** Keeps connections to these members from now on. */
    void link(Collection<Member> members);

    /** Ends the connection to a node that was linked and did not become a member. */
    void unlink(NodeId node);

    /** Whether the node's process has sent anything lately, for any group. */
    boolean isReachable(NodeId node);
  }

  /** Runs in every iteration, on the replica's thread. */
  interface LoopTask {
    /** Called when the core has been stepped and its effects are carried out. */
    void onIteration(long nowNanos);

    /** The latest time of the next iteration. */
    long dueAt(long nowNanos);
  }

  /**
   * Carries out the effects that concern neither log, network, commands of this node nor state
   * machine.
   */
  interface Background {
    void fetchSnapshot(Effect.FetchSnapshot effect);

    void sendFromLog(Effect.SendFromLog effect);

    void flush(Effect.Flush effect);

    void truncate(Effect.Truncate effect);
  }

  private record HeldMessage(List<NodeId> to, Message message, Lsn after) {}

  private final NodeId self;
  private final EventLoop loop;
  private final Replica replica;
  private final ReplicaLog log;
  private final Network network;
  private final Mailbox inbox;
  private final Proposals proposals;
  private final StateMachineFeed feed;
  private final DiskReserve reserve;
  private final Background background;
  private final Effect.Visitor effects = new EffectExecutor();
  private final Consumer<Throwable> onFailure;

  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong durable = new AtomicLong(Lsn.START.value());
  private volatile boolean stopped;
  private volatile GroupStatus view;

  // Accessed only by the replica's thread.
  private final ArrayDeque<HeldMessage> held = new ArrayDeque<>();
  private final List<Input.Received> arrived = new ArrayList<>(MESSAGES_PER_STEP_MAX);
  private final List<LoopTask> tasks = new ArrayList<>();
  private Lsn released = Lsn.START;
  private long linkedEpoch = Long.MIN_VALUE;
  private boolean started;
  private ScheduledFuture<?> timer;
  private long timerAt = Long.MAX_VALUE;

  /** The last record that was not persisted lazily: a message may wait for it. */
  private Lsn urgent = Lsn.START;

  private final ProgressWatch disk = new ProgressWatch();
  private final ProgressWatch stateMachine = new ProgressWatch();

  private long viewPublishedAt = ReplicaClock.nanos() - VIEW_AGE_NANOS_MAX;

  /**
   * @param opened the replica as recovered from disk, replayed and not started
   * @param onFailure called once, on the replica's thread, when the loop has failed
   */
  ReplicaLoop(
      NodeId self,
      EventLoop loop,
      OpenedReplica opened,
      Network network,
      Mailbox inbox,
      Proposals proposals,
      DiskReserve reserve,
      Background background,
      Consumer<Throwable> onFailure) {
    this.self = self;
    this.loop = loop;
    this.replica = opened.replica();
    this.log = opened.log();
    this.network = network;
    this.inbox = inbox;
    this.proposals = proposals;
    this.feed = opened.feed();
    this.reserve = reserve;
    this.background = background;
    this.onFailure = onFailure;
    this.view = newView(ReplicaClock.nanos());
  }

  /** Adds a task, before {@link #start}. */
  void add(LoopTask task) {
    tasks.add(task);
  }

  /** Starts the replica, which sends messages from now on. Any thread; once. */
  void start() {
    execute(
        () -> {
          started = true;
          network.link(replica.latestConfiguration().members());
          step(new Input.Started());
        });
  }

  /** Schedules an iteration, because there is new work. Any thread. */
  void wake() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      loop.execute(this::run);
    }
  }

  /** Schedules an iteration if offered commands need it. Any thread. */
  void wakeForProposals() {
    if (proposals.needsThread()) {
      wake();
    }
  }

  /** Runs a task on the replica's thread, and then an iteration. Any thread. */
  void execute(Runnable task) {
    loop.execute(
        () -> {
          guarded(task);
          wake();
        });
  }

  /** Passes an input to the core if the replica is started. Any thread. */
  void submit(Input input) {
    execute(() -> stepIfStarted(input));
  }

  /** The same immediately, on the replica's thread. */
  void stepIfStarted(Input input) {
    if (started) {
      step(input);
    }
  }

  /** Records that the log is durable up to {@code through}. On the log's thread. */
  void durable(Lsn through) {
    durable.accumulateAndGet(through.value(), Math::max);
    wake();
  }

  /** The last position passed to the state machine. On the replica's thread. */
  Position executed() {
    return feed.submitted();
  }

  /** The last published status of the group. Any thread. */
  GroupStatus view() {
    return view;
  }

  /**
   * Stops the loop. Any thread but the replica's; blocks until the current iteration has ended.
   *
   * @param last runs at the end, on the replica's thread
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

  /** The other members, rotated, reachable ones first. On the replica's thread. */
  List<NodeId> othersByLiveness(int rotation) {
    List<Member> members = replica.latestConfiguration().members();
    List<NodeId> reachable = new ArrayList<>();
    List<NodeId> unreachable = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      NodeId node = members.get(Math.floorMod(rotation + i, members.size())).node();
      if (!node.equals(self)) {
        (network.isReachable(node) ? reachable : unreachable).add(node);
      }
    }
    reachable.addAll(unreachable);
    return reachable;
  }

  private void run() {
    scheduled.set(false);
    guarded(this::iterate);
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

  private void iterate() {
    if (!started) {
      // Messages may be dropped: their senders repeat them.
      while (inbox.poll() != null) {
        continue;
      }
      return;
    }
    processDurable();
    processMessages();
    if (hasCapacity() && proposals.isDue(ReplicaClock.nanos())) {
      List<ByteBuffer> payloads = proposals.take();
      if (!payloads.isEmpty()) {
        step(new Input.Propose(payloads));
      }
    }
    long now = ReplicaClock.nanos();
    if (replica.tickDueAt() - now <= 0) {
      step(new Input.Tick());
    }
    while (feed.submitNext(this::wake)) {
      step(new Input.Executed(feed.submitted()));
      stateMachine.progressed(now);
    }
    tasks.forEach(task -> task.onIteration(now));
    log.flush();
    network.flush();
    linkMembers();
    disk.update(urgent.isAfter(released) || !hasCapacity(), now);
    stateMachine.update(feed.isWaiting(), now);
    if (isStalled(now)) {
      // Another replica completes the commands sooner.
      proposals.failAll("The disk or the state machine of this replica hangs.");
    }
    if (now - viewPublishedAt >= VIEW_AGE_NANOS_MAX) {
      viewPublishedAt = now;
      view = newView(now);
    }
    if (hasCapacity() && (!inbox.isEmpty() || proposals.isDue(now))) {
      wake();
    }
    setTimer(now);
  }

  /** Whether log and disk have capacity; an iteration follows when it becomes true again. */
  private boolean hasCapacity() {
    return log.hasRoom() && !reserve.isLow();
  }

  private void processDurable() {
    Lsn through = new Lsn(durable.get());
    if (!through.isAfter(released)) {
      return;
    }
    released = through;
    disk.progressed(ReplicaClock.nanos());
    while (!held.isEmpty() && !held.peek().after().isAfter(through)) {
      HeldMessage next = held.remove();
      network.send(next.to(), next.message());
    }
    step(new Input.Durable(through));
  }

  private void processMessages() {
    for (int taken = 0;
        taken < MESSAGES_PER_ITERATION_MAX && hasCapacity();
        taken += arrived.size()) {
      arrived.clear();
      while (arrived.size() < MESSAGES_PER_STEP_MAX) {
        Input.Received next = inbox.poll();
        if (next == null) {
          break;
        }
        arrived.add(next);
      }
      if (arrived.isEmpty()) {
        return;
      }
      replica.step(ReplicaClock.nanos(), arrived).forEach(effect -> effect.accept(effects));
    }
  }

  private void step(Input input) {
    replica.step(ReplicaClock.nanos(), input).forEach(effect -> effect.accept(effects));
  }

  /** Carries out the effects of the core. */
  private final class EffectExecutor implements Effect.Visitor {
    @Override
    public void persist(Effect.Persist effect) {
      log.append(effect.lsn(), effect.record(), effect.lazily());
      urgent = effect.lazily() ? urgent : effect.lsn();
    }

    /**
     * Sends or holds back a message (P0). Those held back are bounded by the slots of the window.
     */
    @Override
    public void send(Effect.Send effect) {
      if (effect.after().isAfter(released)) {
        held.add(new HeldMessage(effect.to(), effect.message(), effect.after()));
      } else {
        network.send(effect.to(), effect.message());
      }
    }

    @Override
    public void execute(Effect.Execute effect) {
      List<PendingCommand> own =
          effect
              .batch()
              .map(batch -> proposals.executed(batch.id(), ReplicaClock.nanos()))
              .orElse(List.of());
      feed.add(effect, own);
    }

    @Override
    public void batched(Effect.Batched effect) {
      proposals.batched(effect, ReplicaClock.nanos());
    }

    @Override
    public void refused(Effect.Refused effect) {
      proposals.refused(effect);
    }

    @Override
    public void overtaken(Effect.Overtaken effect) {
      proposals.overtaken(effect.id(), ReplicaClock.nanos());
    }

    @Override
    public void fetchSnapshot(Effect.FetchSnapshot effect) {
      background.fetchSnapshot(effect);
    }

    @Override
    public void sendFromLog(Effect.SendFromLog effect) {
      background.sendFromLog(effect);
    }

    @Override
    public void flush(Effect.Flush effect) {
      background.flush(effect);
    }

    @Override
    public void truncate(Effect.Truncate effect) {
      background.truncate(effect);
    }
  }

  private void linkMembers() {
    Configuration latest = replica.latestConfiguration();
    if (latest.epoch() != linkedEpoch) {
      linkedEpoch = latest.epoch();
      network.link(latest.members());
    }
  }

  private void setTimer(long now) {
    long due = replica.tickDueAt();
    due = Math.min(due, Math.min(disk.dueAt(now), stateMachine.dueAt(now)));
    if (hasCapacity()) {
      due = Math.min(due, proposals.waitEnd().orElse(due));
    }
    for (LoopTask task : tasks) {
      long other = task.dueAt(now);
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

  /** Whether the member is this replica, or its process has sent anything lately. */
  boolean isReachable(Member member) {
    return member.node().equals(self) || network.isReachable(member.node());
  }

  private GroupStatus newView(long now) {
    Configuration present = replica.presentConfiguration();
    long reachable = present.members().stream().filter(this::isReachable).count();
    boolean serving =
        started
            && replica.isMember()
            && replica.hasCaughtUpWithState()
            && !replica.isBehind()
            && !isStalled(now)
            && reachable >= present.quorum();
    return new GroupStatus(
        present.epoch(),
        present.members(),
        Optional.empty(),
        serving,
        feed.submitted(),
        false,
        false);
  }

  /** Whether the disk or the state machine hangs, so that no client command is executed here. */
  private boolean isStalled(long now) {
    return disk.isStalled(now) || stateMachine.isStalled(now);
  }

  /** The due time of a task that waits for nothing. */
  static long idle(long nowNanos) {
    return nowNanos + IDLE_NANOS;
  }
}
