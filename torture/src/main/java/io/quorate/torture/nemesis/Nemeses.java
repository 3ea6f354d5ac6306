package io.quorate.torture.nemesis;

import io.quorate.torture.nemesis.Partition.Shape;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.Targets;
import io.quorate.torture.nemesis.change.DrainNode;
import io.quorate.torture.nemesis.change.MergeRegion;
import io.quorate.torture.nemesis.change.MoveReplica;
import io.quorate.torture.nemesis.change.PowerLossInChange;
import io.quorate.torture.nemesis.change.ReceiverEnds;
import io.quorate.torture.nemesis.change.SplitRegion;
import io.quorate.torture.nemesis.change.TransferLeader;
import io.quorate.torture.testbed.agent.FailpointOrder;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** All kinds of fault. */
public final class Nemeses {
  /** Maximum time between two flushes of what a node has applied. */
  private static final long FLUSH_MILLIS_MAX = 12_000;

  /** In the order in which they are listed to the operator. */
  public static final List<Nemesis> ALL =
      List.of(
          new Kill("kill-one", Targets.ONE),
          new Kill("kill-leader", Targets.LEADER),
          new Kill("kill-majority", Targets.MAJORITY),
          new Kill("kill-all", Targets.ALL),
          new PauseLeader(),
          new RestartEach(),
          new TransferLeader(TransferLeader.Route.AWAY),
          new TransferLeader(TransferLeader.Route.AWAY_AND_BACK),
          new MoveReplica(),
          new DrainNode(),
          new LostDisk(),
          new OlderDisk(),
          new RemovedFiles(),
          new ReceiverEnds(),
          new SplitRegion(),
          new MergeRegion(),
          new Partition(Shape.FULL),
          new Partition(Shape.ONE_WAY),
          new Partition(Shape.PARTIAL),
          new LostReplies(),
          new FlippedBits(),
          new CrashAtPoint("crash-at-point", Targets.ONE, 0, FailpointOrder.CrashAtAny::new),
          new CrashAtPoint(
              "crash-between-writes",
              Targets.ALL,
              FLUSH_MILLIS_MAX,
              seed ->
                  new FailpointOrder.CrashBetween(
                      "storage.apply.before-write", "storage.flush.after")),
          new LateAcknowledgement(),
          new DiskFull(DiskFull.Amount.NEARLY),
          new DiskFull(DiskFull.Amount.ENTIRELY),
          new SickDisk(SickDisk.Mode.FULL),
          new SlowDisk(SlowDisk.Mode.SLOW),
          new SlowDisk(SlowDisk.Mode.STALLED),
          new SickDisk(SickDisk.Mode.HUNG),
          new HungDiskAndLog(),
          new FullStateMachine(),
          new FarBehind(FarBehind.Mode.AT_ONCE),
          new FarBehind(FarBehind.Mode.SNAPSHOT_TAKES_LONG),
          new PowerLoss(false),
          new PowerLoss(true),
          new PowerLossInChange(),
          new Corruption(Corruption.Location.LOG),
          new Corruption(Corruption.Location.ROWS),
          new ChangedRow(),
          new FlippedSnapshot(FlippedSnapshot.Place.EXPORTED),
          new FlippedSnapshot(FlippedSnapshot.Place.INSTALLED),
          new BodyDamage(BodyDamage.Kind.LOST),
          new BodyDamage(BodyDamage.Kind.FLIPPED),
          new ClockJump());

  private Nemeses() {}

  /** The nemesis of this name, if there is one. */
  public static Optional<Nemesis> named(String name) {
    return ALL.stream().filter(nemesis -> nemesis.name().equals(name)).findFirst();
  }

  /** All names, separated by commas. */
  public static String names() {
    return ALL.stream().map(Nemesis::name).collect(Collectors.joining(", "));
  }
}
