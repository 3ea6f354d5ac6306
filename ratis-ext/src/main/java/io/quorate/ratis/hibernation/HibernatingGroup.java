package io.quorate.ratis.hibernation;

import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.GroupSpec.Activation;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Member;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.replication.coded.HeldBodies;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * A replica that runs only while its group is in use. Whatever uses it while it hibernates fails as
 * unavailable, and wakes it. To the protocol, a replica that hibernates is one that has crashed.
 */
final class HibernatingGroup implements ConsensusGroup {
  private static final long RETRY_PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

  /** How long after a replica was woken those of the other members may not run yet. */
  private static final long WAKE_NANOS_MAX = Duration.ofSeconds(5).toNanos();

  private final RaftGroupId id;
  private final GroupSpec spec;
  private final ReplicatedStateMachine machine;
  private final Hibernator owner;
  private final Optional<HibernatingBodies> bodies;
  private final AtomicBoolean wakes = new AtomicBoolean();

  /** The calls in progress that may take longer than a group is idle. */
  private final AtomicInteger callsInProgress = new AtomicInteger();

  /** Held while the replica starts or ends, which blocks. */
  private final Object transition = new Object();

  /** Null while the replica hibernates. */
  private volatile ConsensusGroup running;

  /** When the replica was last used, by the coarse clock of the owner. */
  private volatile long usedNanos;

  /** Before this time it is not attempted again to start the replica. */
  private volatile long retryNanos;

  /** When the replica was last woken. */
  private volatile long wokenNanos;

  /** When the replica last began to hibernate. */
  private volatile long hibernatedNanos;

  /** When the members that were behind were last requested to start. */
  private volatile long membersWokenNanos;

  /** Whether the replica could not start because its files are damaged or missing. */
  private volatile boolean isDamaged;

  /** Whether the replica has not started because the node was full, and may lack entries. */
  private volatile boolean waitsToStart;

  /** The epoch and the members when the replica last ran. */
  private volatile long epoch;

  private volatile List<Member> members;

  /** The members that are behind and connected. Guarded by {@link #transition}. */
  private List<NodeId> connected = List.of();

  /** Guarded by {@link #transition}. */
  private boolean closed;

  HibernatingGroup(
      RaftGroupId id, GroupSpec spec, ReplicatedStateMachine machine, Hibernator owner) {
    this.id = id;
    this.spec = spec;
    this.machine = machine;
    this.owner = owner;
    this.bodies =
        owner
            .bodyNode()
            .map(node -> new HibernatingBodies(this, new HeldBodies(spec.group(), node)));
    this.members = spec.members();
    this.usedNanos = owner.now();
    this.retryNanos = owner.now();
    this.wokenNanos = owner.now() - WAKE_NANOS_MAX;
    this.hibernatedNanos = owner.now() - owner.settings().grace().toNanos();
    this.membersWokenNanos = owner.now();
  }

  /** What a call fails with while the replica hibernates. */
  static ConsensusException waking() {
    return new ConsensusException.Unavailable(
        "The region was not in use and is being started; repeat the request.");
  }

  RaftGroupId id() {
    return id;
  }

  GroupId number() {
    return spec.group();
  }

  boolean hibernates() {
    return running == null;
  }

  /** The replica, if it does not hibernate. */
  Optional<ConsensusGroup> running() {
    return Optional.ofNullable(running);
  }

  /** Whether the replica began to hibernate so lately that heartbeats may still be on their way. */
  boolean hasJustHibernated() {
    return owner.now() - hibernatedNanos < owner.settings().grace().toNanos();
  }

  /** Whether the replica hibernates, or was woken so lately that another member may hibernate. */
  boolean isWaking() {
    return running == null || owner.now() - wokenNanos < WAKE_NANOS_MAX;
  }

  /** Whether the replica runs, was not used for a time, and may hibernate therefore. */
  boolean isIdle(Duration time) {
    return running != null
        && spec.activation() != Activation.ALWAYS
        && callsInProgress.get() == 0
        && owner.now() - usedNanos >= time.toNanos();
  }

  long usedNanos() {
    return usedNanos;
  }

  boolean waitsToStart() {
    return waitsToStart;
  }

  /** The members that are behind, while the replica hibernates. */
  Set<NodeId> membersBehind() {
    return hibernates() ? owner.markers().behind(spec.group()) : Set.of();
  }

  long membersWokenNanos() {
    return membersWokenNanos;
  }

  void wakesMembers() {
    membersWokenNanos = owner.now();
  }

  /** Counts as a use. Written once a tick at most: many threads use a group at the same time. */
  void use() {
    long now = owner.now();
    if (usedNanos != now) {
      usedNanos = now;
    }
  }

  /**
   * Opens the replica. Blocks.
   *
   * @param hibernates whether only the state machine is opened; if the node is full, too, and then
   *     the replica waits to start
   */
  void open(boolean hibernates) throws IOException {
    synchronized (transition) {
      if (spec.activation() == Activation.ALWAYS) {
        owner.startInAnyCase();
        start();
      } else if (hibernates || !owner.tryStart()) {
        waitsToStart = !hibernates;
        machine.open();
        connect();
      } else {
        start();
      }
    }
  }

  /** The place of the replica among those that run is taken already. */
  private void start() throws IOException {
    boolean started = false;
    try {
      disconnect();
      owner.markers().remove(spec.group());
      waitsToStart = false;
      running = owner.host().start(spec, machine);
      started = true;
    } finally {
      if (!started) {
        owner.ended();
      }
    }
  }

  /**
   * Starts the replica if it hibernates. Blocks.
   *
   * @return whether it was started
   */
  boolean wake() throws IOException {
    wakes.set(false);
    synchronized (transition) {
      if (closed || running != null) {
        return false;
      }
      use();
      if (!owner.tryStart()) {
        return false;
      }
      // In case it fails; a replica that runs is not started.
      retryNanos = owner.now() + RETRY_PAUSE_NANOS;
      try {
        start();
      } catch (DamagedReplicaException e) {
        isDamaged = true;
        throw e;
      }
      wokenNanos = owner.now();
      retryNanos = wokenNanos;
      return true;
    }
  }

  /**
   * Ends the replica, which may start again, unless it was used in the meantime. Blocks.
   *
   * @param unusedSince what {@link #usedNanos} was
   * @param behind the members that lack entries, or do not respond
   * @return whether it hibernates now
   */
  boolean hibernate(long unusedSince, Set<NodeId> behind) throws IOException {
    synchronized (transition) {
      ConsensusGroup ending = running;
      if (closed || ending == null || usedNanos != unusedSince || callsInProgress.get() > 0) {
        return false;
      }
      GroupStatus last = ending.view();
      epoch = last.epoch();
      members = last.members();
      owner.markers().add(spec.group(), behind);
      hibernatedNanos = owner.now();
      membersWokenNanos = hibernatedNanos;
      running = null;
      owner.ended();
      connect();
      ending.close();
      return true;
    }
  }

  /** No group that runs may connect the members that are behind, which are to be woken. */
  private void connect() {
    connected = membersBehind().stream().filter(owner.requests()::connect).toList();
  }

  private void disconnect() {
    connected.forEach(owner.requests()::disconnect);
    connected = List.of();
  }

  /** From now on the replica neither starts nor hibernates. Blocks while it is doing so. */
  void freeze() {
    synchronized (transition) {
      closed = true;
    }
  }

  /** Makes a call that counts as a use of the replica until it has ended. */
  <T> CompletionStage<T> use(Function<ConsensusGroup, CompletionStage<T>> call) {
    use();
    ConsensusGroup present = running;
    if (present == null) {
      return rejected();
    }
    callsInProgress.incrementAndGet();
    CompletionStage<T> outcome;
    try {
      outcome = call.apply(present);
    } catch (RuntimeException e) {
      callsInProgress.decrementAndGet();
      throw e;
    }
    outcome.whenComplete(
        (result, failure) -> {
          use();
          callsInProgress.decrementAndGet();
        });
    return outcome;
  }

  /**
   * The replica, which counts as used.
   *
   * @throws ConsensusException while it hibernates, which ends then
   */
  ConsensusGroup requireRunning() {
    use();
    ConsensusGroup present = running;
    if (present == null) {
      needed(true);
      throw owner.rejection();
    }
    return present;
  }

  /** As {@link Hibernator#after}. */
  CompletableFuture<Void> after(Duration time) {
    return owner.after(time);
  }

  private <T> CompletionStage<T> rejected() {
    needed(true);
    return CompletableFuture.failedFuture(owner.rejection());
  }

  /**
   * Starts the replica in the background, if it hibernates. Does not block.
   *
   * @param first whether the other members may hibernate too
   */
  void needed(boolean first) {
    if (running == null
        && !isDamaged
        && owner.now() - retryNanos >= 0
        && wakes.compareAndSet(false, true)) {
      owner.wake(this, first);
    }
  }

  /** The replica was not woken as requested, and may be later. */
  void wakeFailed() {
    wakes.set(false);
  }

  @Override
  public CompletionStage<ProposeResult> propose(Command command) {
    use();
    ConsensusGroup present = running;
    return present == null ? rejected() : present.propose(command);
  }

  @Override
  public CompletionStage<Position> readIndex(Guarantee guarantee, KeyScope scope) {
    use();
    ConsensusGroup present = running;
    return present == null ? rejected() : present.readIndex(guarantee, scope);
  }

  @Override
  public GroupStatus view() {
    ConsensusGroup present = running;
    return present != null
        ? present.view()
        : new GroupStatus(
            epoch,
            members,
            Optional.empty(),
            false,
            machine.applied(),
            // Opening the group again reports the damage.
            isDamaged,
            !isDamaged);
  }

  @Override
  public <T extends GroupControl> Optional<T> control(Class<T> type) {
    if (type == BodyReplication.class) {
      return bodies.map(type::cast);
    }
    use();
    ConsensusGroup present = running;
    if (present == null) {
      needed(true);
      return WakingControls.find(type);
    }
    return present.control(type);
  }

  @Override
  public void close() {
    synchronized (transition) {
      ConsensusGroup ending = running;
      if (!closed) {
        closed = true;
        disconnect();
        owner.forget(this);
        if (ending != null) {
          running = null;
          owner.ended();
          ending.close();
        }
      }
    }
  }
}
