package io.quorate.ratis.schedule;

import io.quorate.common.Failpoint;
import io.quorate.model.NodeId;
import io.quorate.replication.coded.CodedPoints;
import io.quorate.replication.coded.CodedPoints.Step;
import io.quorate.replication.log.LogPoints;
import io.quorate.replication.log.segment.SegmentStart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.protocol.RaftGroupMemberId;

/**
 * The faults of one process with several replicas, which it injects at their failpoints: cut links,
 * replicas that stand still, steps that take long, and the moments at which replicas are killed.
 * Thread-safe.
 */
final class FaultPoints implements AutoCloseable {
  private static final Failpoint RAFT_REQUEST = Failpoint.named("raft.request.received");
  private static final Failpoint FLUSH = Failpoint.named("storage.flush.before");
  private static final String BODIES = "raft.bodies.";

  /** At which a message from another replica arrives. */
  private static final Set<Failpoint> ARRIVALS =
      Set.of(RAFT_REQUEST, CodedPoints.CHUNK_RECEIVED, CodedPoints.FETCH_RECEIVED);

  private static final List<Failpoint> LEADER_STEPS =
      List.of(
          CodedPoints.ENCODED,
          CodedPoints.OWN_COPY_DURABLE,
          CodedPoints.ACKNOWLEDGED,
          CodedPoints.FALLBACK_DUE,
          CodedPoints.BEFORE_HEADER,
          CodedPoints.HEADER_PROPOSED);

  /** Those whose subject is the member of the group. */
  private static final List<Failpoint> OF_MEMBERS =
      List.of(
          Failpoint.named("raft.commit.before-hand-over"),
          Failpoint.named("raft.append.before-acknowledgement"));

  /** No wait at a failpoint is longer. */
  private static final long WAIT_SECONDS_MAX = 20;

  private record Link(NodeId from, NodeId to) {}

  private record Place(NodeId node, Failpoint point) {}

  private final Set<Link> cut = ConcurrentHashMap.newKeySet();
  private final Set<NodeId> dead = ConcurrentHashMap.newKeySet();
  private final Map<NodeId, CountDownLatch> paused = new ConcurrentHashMap<>();
  private final Map<Place, CountDownLatch> stalls = new ConcurrentHashMap<>();
  private final Map<Place, CountDownLatch> traps = new ConcurrentHashMap<>();
  private final Map<NodeId, Long> slowSyncs = new ConcurrentHashMap<>();
  private final Set<Failpoint> reached = ConcurrentHashMap.newKeySet();
  private final List<Failpoint> steps = new ArrayList<>();

  FaultPoints() {
    Failpoint.known().stream().filter(point -> point.name().startsWith(BODIES)).forEach(steps::add);
    steps.addAll(OF_MEMBERS);
    steps.forEach(point -> point.on(this::reached));
    RAFT_REQUEST.on(this::reached);
    FLUSH.on((point, subject) -> failIfDead());
  }

  /** The failpoints of the steps that only a leader takes. */
  List<Failpoint> leaderSteps() {
    return LEADER_STEPS;
  }

  /** The failpoints at which replicas can be stalled and killed. */
  List<Failpoint> steps() {
    return List.copyOf(steps);
  }

  /** Those that any replica has reached. */
  Set<Failpoint> reached() {
    return Set.copyOf(reached);
  }

  private void reached(Failpoint point, Object subject) throws IOException {
    reached.add(point);
    NodeId node;
    NodeId peer;
    if (subject instanceof Step step) {
      node = step.node();
      peer = step.peer();
    } else if (subject instanceof RaftRpcRequestProto header) {
      node = new NodeId(header.getReplyId().toStringUtf8());
      peer = new NodeId(header.getRequestorId().toStringUtf8());
    } else if (subject instanceof SegmentStart segment) {
      node = segment.owner().node();
      peer = node;
    } else {
      node = new NodeId(((RaftGroupMemberId) subject).getPeerId().toString());
      peer = node;
    }
    pass(point, node, peer);
  }

  private void pass(Failpoint point, NodeId node, NodeId peer) throws IOException {
    awaitIfPresent(paused.get(peer));
    awaitIfPresent(paused.get(node));
    Place place = new Place(node, point);
    awaitIfPresent(stalls.get(place));
    CountDownLatch trap = traps.remove(place);
    if (trap != null) {
      isolate(node);
      dead.add(node);
      trap.countDown();
    }
    if (point == LogPoints.BEFORE_SYNC) {
      sleep(slowSyncs.getOrDefault(node, 0L));
    }
    boolean isLost =
        ARRIVALS.contains(point) && cut.contains(new Link(peer, node))
            || point == CodedPoints.BEFORE_ACKNOWLEDGEMENT && cut.contains(new Link(node, peer));
    // The pool of workers logs what a task for the fallback throws.
    boolean hasEnded =
        dead.contains(node) && point.name().startsWith(BODIES) && point != CodedPoints.FALLBACK_DUE;
    if (isLost || hasEnded) {
      throw new IOException("Injected: " + peer + " to " + node + " at " + point);
    }
  }

  /** The threads of a storage belong to the group of the replica that opened it. */
  private void failIfDead() throws IOException {
    NodeId node = new NodeId(Thread.currentThread().getThreadGroup().getName());
    if (dead.contains(node)) {
      throw new IOException("Injected: " + node + " has ended");
    }
  }

  /** Cuts the link in one direction. */
  void cut(NodeId from, NodeId to) {
    cut.add(new Link(from, to));
  }

  void restore(NodeId from, NodeId to) {
    cut.remove(new Link(from, to));
  }

  /** All links of the node, which are cut until {@link #begins}. */
  private void isolate(NodeId node) {
    for (int i = 1; i <= ScheduleCluster.NODES_MAX; i++) {
      NodeId other = new NodeId("n" + i);
      if (!other.equals(node)) {
        cut(node, other);
        cut(other, node);
      }
    }
  }

  /** From now on nothing that the node does reaches another one, or its state on disk. */
  void ends(NodeId node) {
    isolate(node);
    dead.add(node);
    release(paused.remove(node));
    stalls.entrySet().removeIf(stall -> isReleased(stall.getKey(), stall.getValue(), node));
    traps.keySet().removeIf(place -> place.node().equals(node));
  }

  private static boolean isReleased(Place place, CountDownLatch latch, NodeId node) {
    if (place.node().equals(node)) {
      latch.countDown();
      return true;
    }
    return false;
  }

  /** The node starts, with all its links. */
  void begins(NodeId node) {
    dead.remove(node);
    cut.removeIf(
        link ->
            link.from().equals(node) && !dead.contains(link.to())
                || link.to().equals(node) && !dead.contains(link.from()));
  }

  /** What the node sends and receives, and all its steps, wait until {@link #resume}. */
  void pause(NodeId node) {
    paused.putIfAbsent(node, new CountDownLatch(1));
  }

  void resume(NodeId node) {
    release(paused.remove(node));
  }

  void stall(NodeId node, Failpoint point) {
    stalls.putIfAbsent(new Place(node, point), new CountDownLatch(1));
  }

  void unstall(NodeId node, Failpoint point) {
    release(stalls.remove(new Place(node, point)));
  }

  /** Counts down when the node has reached the point; from that moment on it has ended. */
  CountDownLatch trap(NodeId node, Failpoint point) {
    return traps.computeIfAbsent(new Place(node, point), place -> new CountDownLatch(1));
  }

  /** Each fsync of the node's log takes so much longer. */
  void slowSyncs(NodeId node, long millis) {
    slowSyncs.put(node, millis);
  }

  /** Ends every fault but the end of nodes. */
  void heal() {
    paused.keySet().forEach(this::resume);
    stalls.keySet().forEach(place -> unstall(place.node(), place.point()));
    traps.clear();
    slowSyncs.clear();
    cut.removeIf(link -> !dead.contains(link.from()) && !dead.contains(link.to()));
  }

  private static void release(CountDownLatch latch) {
    if (latch != null) {
      latch.countDown();
    }
  }

  private static void awaitIfPresent(CountDownLatch latch) throws IOException {
    if (latch == null) {
      return;
    }
    try {
      if (!latch.await(WAIT_SECONDS_MAX, TimeUnit.SECONDS)) {
        throw new IOException(new TimeoutException("A fault was not healed"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static void sleep(long millis) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  @Override
  public String toString() {
    return "cut %s, ended %s, paused %s, stalled %s, traps %s"
        .formatted(cut, dead, paused.keySet(), stalls.keySet(), traps.keySet());
  }

  @Override
  public void close() {
    heal();
    Failpoint.known().forEach(Failpoint::off);
  }
}
