package io.quorate.ratis;

import io.quorate.common.LogLimit;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.ratis.health.DiskHealth;
import io.quorate.ratis.health.PeerProbe;
import io.quorate.ratis.health.PeerWatch;
import io.quorate.ratis.heartbeat.HeartbeatSender;
import io.quorate.ratis.heartbeat.IdleFollower;
import io.quorate.ratis.hibernation.Hibernator;
import io.quorate.ratis.settings.RatisSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The periodic tasks of a node's Raft engine. They end with the threads of the engine. */
final class RatisHousekeeping {
  /** The interval in which the health of the disk is observed. */
  static final Duration TICK = Duration.ofMillis(50);

  private static final Logger LOG = LoggerFactory.getLogger(RatisHousekeeping.class);
  private static final LogLimit MEMBER_FAILING = new LogLimit();
  private static final LogLimit FAILING = new LogLimit();
  private static final Duration PEER_WATCH_INTERVAL = Duration.ofMillis(500);

  private static final Duration HIBERNATION_INTERVAL = Duration.ofSeconds(1);

  /** Longer than an ordinary election. */
  private static final Duration PEER_PROBE_INTERVAL = Duration.ofSeconds(3);

  private final NodeId self;
  private final RatisSettings settings;
  private final RatisThreads threads;
  private final Map<RaftGroupId, RatisMember> members;
  private final DiskHealth health;
  private final HeartbeatSender heartbeats;
  private final Optional<BodyStorage> bodies;

  /** Accessed only by the probe thread. */
  private final PeerProbe peerProbe = new PeerProbe();

  /** Accessed only by the timer thread. */
  private final PeerWatch peerWatch;

  /** Accessed only by the timer thread. */
  private boolean isStallReported;

  /**
   * @param members of the groups that are open; safe for concurrent use
   */
  RatisHousekeeping(
      NodeId self,
      RatisSettings settings,
      RatisThreads threads,
      Map<RaftGroupId, RatisMember> members,
      DiskHealth health,
      HeartbeatSender heartbeats,
      Optional<BodyStorage> bodies) {
    this.self = self;
    this.settings = settings;
    this.threads = threads;
    this.members = members;
    this.health = health;
    this.heartbeats = heartbeats;
    this.bodies = bodies;
    this.peerWatch = new PeerWatch(settings.followerTimeout());
  }

  void start(Hibernator hibernator) {
    every(HIBERNATION_INTERVAL, threads.timer(), hibernator::tick);
    every(TICK, threads.timer(), this::tick);
    every(settings.elections().timeoutMin().dividedBy(3), threads.timer(), this::sendHeartbeats);
    every(PEER_WATCH_INTERVAL, threads.timer(), this::watchPeers);
    every(PEER_WATCH_INTERVAL, threads.timer(), () -> forEachMember(RatisMember::checkNewMembers));
    every(settings.log().purgeInterval(), threads.timer(), this::cleanUp);
    every(PEER_PROBE_INTERVAL, threads.probes(), () -> peerProbe.look(peersWithoutLeader()));
  }

  private static void every(Duration interval, ScheduledExecutorService thread, Runnable task) {
    thread.scheduleWithFixedDelay(
        () -> {
          try {
            task.run();
          } catch (RuntimeException e) {
            // After an exception the thread would not run the task again.
            FAILING.log(
                leftOut ->
                    LOG.warn(
                        "A periodic task of the Raft engine failed{}", LogLimit.text(leftOut), e));
          }
        },
        interval.toMillis(),
        interval.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  private void tick() {
    long now = System.nanoTime();
    health.tick(now, members, RatisMember::progress, bodies.map(BodyStorage::progress));
    reportDisk(!health.isLogResponsive());
    forEachMember(member -> member.tick(now));
  }

  /**
   * One task for all groups, of which a node may have thousands. A group that holds one up is left
   * out by the next one.
   */
  private void cleanUp() {
    threads.housekeeping().execute(() -> forEachMember(RatisMember::cleanUp));
  }

  private void sendHeartbeats() {
    List<IdleFollower> idle = new ArrayList<>();
    forEachMember(member -> idle.addAll(member.idleFollowers()));
    heartbeats.tick(idle);
  }

  private void reportDisk(boolean isStalled) {
    if (isStalled != isStallReported) {
      isStallReported = isStalled;
      if (isStalled) {
        LOG.warn(
            "The disk of this node does not respond; its replicas neither lead nor acknowledge"
                + " millis={}",
            settings.log().diskStallTimeout().toMillis());
      } else {
        LOG.info("The disk of this node responds again");
      }
    }
  }

  /** The other members of groups without a leader, each once. */
  private Collection<Member> peersWithoutLeader() {
    Map<NodeId, Member> peers = new LinkedHashMap<>();
    forEachMember(
        member -> {
          if (!member.hasLeader()) {
            member.members().forEach(peer -> peers.put(peer.node(), peer));
          }
        });
    peers.remove(self);
    return peers.values();
  }

  /** A node responds if it does so in any group that this node leads. */
  private void watchPeers() {
    Map<RaftPeerId, Duration> silences = new HashMap<>();
    forEachMember(
        member ->
            member
                .silences()
                .forEach(
                    (peer, silence) ->
                        silences.merge(peer, silence, (a, b) -> a.compareTo(b) <= 0 ? a : b)));
    for (PeerWatch.Change change : peerWatch.observe(silences)) {
      if (change.isLost()) {
        LOG.warn("A follower does not respond peer={}", change.peer());
      } else {
        LOG.info("A follower responds again peer={}", change.peer());
      }
    }
  }

  /**
   * A failure of one member, for example of one that is being closed, must not affect the others.
   */
  private void forEachMember(Consumer<RatisMember> task) {
    for (RatisMember member : members.values()) {
      try {
        task.accept(member);
      } catch (RuntimeException e) {
        MEMBER_FAILING.log(
            leftOut ->
                LOG.warn(
                    "A periodic task of a group failed region={}{}",
                    member.spec().group(),
                    LogLimit.text(leftOut),
                    e));
      }
    }
  }
}
