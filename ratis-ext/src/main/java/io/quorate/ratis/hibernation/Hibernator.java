package io.quorate.ratis.hibernation;

import io.quorate.common.DecodeException;
import io.quorate.common.Failures;
import io.quorate.common.LogLimit;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.GroupSpec.Activation;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.Member;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.ratis.heartbeat.GroupTerm;
import io.quorate.replication.coded.BodyNode;
import io.quorate.replication.requests.RequestKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.ratis.protocol.RaftGroupId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the replicas of groups that are not in use, while a node runs more than a given number of
 * groups, and starts them again when they are used. A running group costs threads, heartbeats and
 * buffers; one that hibernates costs its rows. A node never runs more groups than its memory has
 * buffers for: then those that were used least recently hibernate after a short time.
 *
 * <p>The leader of an idle group requests the other members to hibernate; if all accept, it
 * hibernates itself. Members that do not respond are left out as long as a majority has all
 * entries, so that a node that is down keeps no group running; while the node is full, also members
 * that respond and are behind. They are requested to start from time to time, and as members of a
 * group without a leader they then wake the others. Any message of Raft wakes a replica. To Raft a
 * replica that hibernates is one that has crashed, so nothing depends on what these requests find.
 */
public final class Hibernator {
  private static final Logger LOG = LoggerFactory.getLogger(Hibernator.class);
  private static final LogLimit FAILING = new LogLimit();

  /** So that many groups, which become idle at the same time, leave the threads for other work. */
  private static final int GROUPS_PER_TICK_MAX = 32;

  /** How long a group is not in use before it makes room for another one. */
  private static final Duration IDLE_WHILE_FULL = Duration.ofSeconds(1);

  /** How many groups with members that are behind may start in a second. */
  private static final int CATCH_UPS_PER_TICK = 4;

  /** The longest interval in which a member that is behind is requested to start. */
  private static final Duration CATCH_UP_INTERVAL_MAX = Duration.ofSeconds(10);

  private static final int WAKE_ATTEMPTS = 20;
  private static final Duration WAKE_PAUSE = Duration.ofMillis(50);

  /**
   * When groups hibernate.
   *
   * @param after how long a group is not in use before
   * @param runningMin while this many groups run on the node, or fewer, none hibernates
   * @param runningMax no group starts while this many run
   * @param grace for how long afterwards heartbeats of the leader do not wake a replica
   */
  public record Settings(Duration after, int runningMin, int runningMax, Duration grace) {}

  /** Sends requests to other nodes. Any thread; nothing blocks. */
  public interface Requests {
    /** Fails if the node is not connected, as by a group that runs. */
    CompletableFuture<ByteBuffer> send(NodeId to, RequestKind kind, ByteBuffer body);

    /**
     * Keeps a connection to a node, and opens it again if it is lost.
     *
     * @return whether it does, until {@link #disconnect} was called as often; false if the address
     *     of the node is not known
     */
    boolean connect(NodeId node);

    /** Ends one {@link #connect} that returned true. */
    void disconnect(NodeId node);
  }

  private final NodeId self;
  private final Settings settings;
  private final ReplicaHost host;
  private final Requests requests;
  private final Optional<BodyNode> bodyNode;
  private final HibernationMarkers markers;
  private final Executor executor;
  private final ScheduledExecutorService timer;
  private final LongSupplier nanoClock;
  private final Map<RaftGroupId, HibernatingGroup> groups = new ConcurrentHashMap<>();
  private final AtomicInteger running = new AtomicInteger();
  private final LongAdder woken = new LongAdder();
  private volatile long nowNanos;

  /**
   * @param bodyNode what the groups share if values may be bodies
   * @param directory of the files of this object
   * @param executor executes what blocks; may reject tasks
   * @param timer executes what is due later and does not block
   */
  public Hibernator(
      NodeId self,
      Settings settings,
      ReplicaHost host,
      Requests requests,
      Optional<BodyNode> bodyNode,
      Path directory,
      Executor executor,
      ScheduledExecutorService timer,
      LongSupplier nanoClock)
      throws IOException {
    this.self = self;
    this.settings = settings;
    this.host = host;
    this.requests = requests;
    this.bodyNode = bodyNode;
    this.markers = HibernationMarkers.open(directory);
    this.executor = executor;
    this.timer = timer;
    this.nanoClock = nanoClock;
    this.nowNanos = nanoClock.getAsLong();
  }

  /**
   * Opens a replica, and starts it, unless it hibernated when the node ended, or is a new one that
   * need not start while enough others run. If the node is full, it starts as soon as there is
   * room. One thread at a time; blocks.
   *
   * @throws IllegalStateException if the group is open already
   */
  public ConsensusGroup open(RaftGroupId id, GroupSpec spec, ReplicatedStateMachine machine)
      throws IOException {
    if (groups.containsKey(id)) {
      throw new IllegalStateException("Group " + spec.group() + " is open already");
    }
    HibernatingGroup group = new HibernatingGroup(id, spec, machine, this);
    group.open(
        markers.contains(spec.group())
            || spec.activation() == Activation.ON_USE
                && !host.hasRecords(spec.group())
                && running.get() >= settings.runningMin());
    // Not before: a message of another replica would start it as well.
    groups.put(id, group);
    return group;
  }

  /** Closes the replica of a group, if it is open, before its files are removed. Blocks. */
  public void remove(RaftGroupId id, GroupId group) throws IOException {
    HibernatingGroup open = groups.get(id);
    if (open != null) {
      open.close();
    }
    markers.remove(group);
  }

  /** From now on no replica starts or hibernates. Blocks while one is doing so. */
  public void close() {
    groups.values().forEach(HibernatingGroup::freeze);
  }

  /** The number of replicas that run. */
  public int running() {
    return running.get();
  }

  /** The number of replicas that were woken. */
  public long woken() {
    return woken.sum();
  }

  /**
   * A message of another replica was received. Does not block.
   *
   * @param isHeartbeat whether it may still be from before the replica hibernated
   */
  public void received(RaftGroupId id, boolean isHeartbeat) {
    HibernatingGroup group = groups.get(id);
    if (group != null && group.hibernates() && !(isHeartbeat && group.hasJustHibernated())) {
      group.needed(false);
    }
  }

  /** To be called every second, by one thread. Does not block. */
  public void tick() {
    nowNanos = nanoClock.getAsLong();
    hibernateIdle();
    startWaiting();
    wakeMembersBehind();
  }

  /** An idle group whose members are behind, or none. */
  private record Candidate(HibernatingGroup group, MembersBehind behind) {}

  private void hibernateIdle() {
    int surplus = Math.min(GROUPS_PER_TICK_MAX, running.get() - settings.runningMin());
    if (surplus <= 0) {
      return;
    }
    boolean full = isFull();
    Duration idle = full ? IDLE_WHILE_FULL : settings.after();
    groups.values().stream()
        .filter(group -> group.isIdle(idle) && group.view().serving())
        .flatMap(
            group -> host.behind(group.id()).map(behind -> new Candidate(group, behind)).stream())
        .filter(candidate -> full || !candidate.behind().respond())
        .sorted(
            Comparator.comparing((Candidate candidate) -> candidate.behind().respond())
                .thenComparingLong(candidate -> candidate.group().usedNanos()))
        .limit(surplus)
        .forEach(candidate -> request(candidate.group(), candidate.behind().nodes(), idle));
  }

  /** Starts replicas for which there was no room, and which may lack entries. */
  private void startWaiting() {
    groups.values().stream()
        .filter(HibernatingGroup::waitsToStart)
        .limit(Math.max(0, Math.min(CATCH_UPS_PER_TICK, settings.runningMax() - running.get())))
        .forEach(group -> group.needed(true));
  }

  /** A member that has started again may have hibernated before, and would start with no use. */
  private void wakeMembersBehind() {
    Duration interval =
        settings.after().compareTo(CATCH_UP_INTERVAL_MAX) < 0
            ? settings.after()
            : CATCH_UP_INTERVAL_MAX;
    groups.values().stream()
        .filter(group -> !group.membersBehind().isEmpty())
        .filter(group -> nowNanos - group.membersWokenNanos() >= interval.toNanos())
        .sorted(Comparator.comparingLong(HibernatingGroup::membersWokenNanos))
        .limit(CATCH_UPS_PER_TICK)
        .forEach(
            group -> {
              group.wakesMembers();
              group.membersBehind().forEach(node -> wakeAt(node, group, 1));
            });
  }

  private void request(HibernatingGroup group, Set<NodeId> behind, Duration idle) {
    // If a member declines, the next request is as much later.
    group.use();
    long since = group.usedNanos();
    GroupStatus view = group.view();
    ByteBuffer body =
        new HibernateRequest(idle, new GroupTerm(group.id(), view.epoch()), behind).encoded();
    List<CompletableFuture<Boolean>> accepted = new ArrayList<>();
    for (NodeId other : others(view)) {
      CompletableFuture<Boolean> response =
          requests
              .send(other, RequestKind.HIBERNATE, body.duplicate())
              .thenApply(HibernateRequest::isAccepted);
      accepted.add(behind.contains(other) ? response.exceptionally(failure -> true) : response);
    }
    CompletableFuture.allOf(accepted.toArray(CompletableFuture[]::new))
        .thenAccept(
            done -> {
              if (accepted.stream().allMatch(CompletableFuture::join)) {
                hibernate(group, since, behind);
              }
            })
        .exceptionally(
            failure -> {
              LOG.debug(
                  "A group does not hibernate region={} reason={}",
                  group.number(),
                  Failures.unwrap(failure).toString());
              return null;
            });
  }

  private List<NodeId> others(GroupStatus view) {
    return view.members().stream().map(Member::node).filter(node -> !node.equals(self)).toList();
  }

  /** Returns false if there is too much to do. */
  private boolean hibernate(HibernatingGroup group, long since, Set<NodeId> behind) {
    try {
      executor.execute(
          () -> {
            try {
              if (group.hibernate(since, behind)) {
                LOG.debug("This replica hibernates region={}", group.number());
              }
            } catch (IOException | RuntimeException e) {
              FAILING.log(
                  leftOut ->
                      LOG.warn(
                          "A replica does not hibernate region={}{}",
                          group.number(),
                          LogLimit.text(leftOut),
                          e));
            }
          });
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /**
   * The leader of a group requests the replica here to hibernate. Does not block.
   *
   * @return whether it hibernates or is about to. Fails if the request is malformed.
   */
  public CompletionStage<ByteBuffer> respondToHibernate(NodeId from, ByteBuffer request) {
    try {
      HibernateRequest requested = HibernateRequest.decode(request);
      return CompletableFuture.completedFuture(HibernateRequest.response(accepts(from, requested)));
    } catch (DecodeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private boolean accepts(NodeId from, HibernateRequest requested) {
    HibernatingGroup group = groups.get(requested.group().group());
    // A replica that is not open yet starts when it is, and wakes the others.
    if (group == null || group.hibernates()) {
      return true;
    }
    long since = group.usedNanos();
    GroupStatus view = group.view();
    Set<NodeId> othersBehind =
        requested.behind().stream()
            .filter(node -> !node.equals(self))
            .collect(Collectors.toUnmodifiableSet());
    return group.isIdle(requested.idle())
        && running.get() > settings.runningMin()
        && view.epoch() == requested.group().term()
        && view.leader().filter(from::equals).isPresent()
        && hibernate(group, since, othersBehind);
  }

  /** Another node has started its replicas. Does not block. The response is empty. */
  public CompletionStage<ByteBuffer> respondToWake(ByteBuffer request) {
    try {
      for (GroupTerm each : GroupTerm.decode(request)) {
        received(each.group(), false);
      }
      return CompletableFuture.completedFuture(ByteBuffer.allocate(0));
    } catch (DecodeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Starts a replica in the background.
   *
   * @param first whether the other members are to be woken too, because they may hibernate
   */
  void wake(HibernatingGroup group, boolean first) {
    try {
      executor.execute(() -> start(group, first));
    } catch (RejectedExecutionException e) {
      group.wakeFailed();
    }
  }

  private void start(HibernatingGroup group, boolean first) {
    try {
      if (group.wake()) {
        woken.increment();
        LOG.debug("This replica does not hibernate any more region={}", group.number());
        if (first) {
          others(group.view()).forEach(node -> wakeAt(node, group, WAKE_ATTEMPTS));
        }
      }
    } catch (IOException | RuntimeException e) {
      FAILING.log(
          leftOut ->
              LOG.error(
                  "A replica that hibernated does not start region={}{}",
                  group.number(),
                  LogLimit.text(leftOut),
                  e));
    }
  }

  /**
   * Wakes the replica of another node at once, which would otherwise be woken by the second vote
   * request. The connection may be new.
   */
  private void wakeAt(NodeId node, HibernatingGroup group, int attempts) {
    requests
        .send(node, RequestKind.WAKE, GroupTerm.encode(List.of(new GroupTerm(group.id(), 0))))
        .whenComplete(
            (response, failure) -> {
              if (failure != null && attempts > 1) {
                after(WAKE_PAUSE).thenRun(() -> wakeAt(node, group, attempts - 1));
              }
            });
  }

  /** Completes after a time, on the timer; fails if the engine is closed, or never completes. */
  CompletableFuture<Void> after(Duration time) {
    CompletableFuture<Void> due = new CompletableFuture<>();
    try {
      timer.schedule(() -> due.complete(null), time.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      due.completeExceptionally(new ConsensusException.Unavailable("This node is closing."));
    }
    return due;
  }

  /** Whether no further replica may start. */
  boolean isFull() {
    return running.get() >= settings.runningMax();
  }

  /** What a use of a replica that hibernates fails with. */
  ConsensusException rejection() {
    return isFull()
        ? new ConsensusException.Overloaded(
            "The region was not in use and cannot be started: this node runs as many groups as it"
                + " may (raft.groups-running-max).",
            IDLE_WHILE_FULL)
        : HibernatingGroup.waking();
  }

  long now() {
    return nowNanos;
  }

  Settings settings() {
    return settings;
  }

  Optional<BodyNode> bodyNode() {
    return bodyNode;
  }

  ReplicaHost host() {
    return host;
  }

  Requests requests() {
    return requests;
  }

  HibernationMarkers markers() {
    return markers;
  }

  /** Takes the place of one more replica that runs, unless the node is full. */
  boolean tryStart() {
    int before = running.getAndUpdate(count -> count < settings.runningMax() ? count + 1 : count);
    return before < settings.runningMax();
  }

  /** Takes the place of a replica that always runs. */
  void startInAnyCase() {
    running.incrementAndGet();
  }

  /** Releases such a place. */
  void ended() {
    running.decrementAndGet();
  }

  void forget(HibernatingGroup group) {
    groups.remove(group.id(), group);
  }
}
