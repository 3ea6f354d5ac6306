package io.quorate.server.verification.nemesis;

import io.quorate.server.verification.agent.PointOrder;
import io.quorate.server.verification.nemesis.Partition.Shape;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Every kind of fault that can be asked for. */
public final class Nemeses {
  /** A node flushes what it has applied at least so often. */
  private static final long FLUSH_MILLIS_MAX = 12_000;

  /** In the order in which they are told. */
  public static final List<Nemesis> ALL =
      List.of(
          new Kill("kill-one", Victims.ONE),
          new Kill("kill-leader", Victims.LEADER),
          new Kill("kill-majority", Victims.MAJORITY),
          new Kill("kill-all", Victims.ALL),
          new PauseLeader(),
          new RestartEach(),
          new TransferLeader(),
          new Partition(Shape.FULL),
          new Partition(Shape.ONE_WAY),
          new Partition(Shape.PARTIAL),
          new LostReplies(),
          new CrashAtPoint("crash-at-point", Victims.ONE, 0, PointOrder.CrashAtAny::new),
          new CrashAtPoint(
              "crash-between-writes",
              Victims.ALL,
              FLUSH_MILLIS_MAX,
              seed ->
                  new PointOrder.CrashBetween("storage.apply.before-write", "storage.flush.after")),
          new LateAcknowledgement(),
          new DiskFull(DiskFull.Amount.NEARLY),
          new DiskFull(DiskFull.Amount.ENTIRELY),
          new SlowDisk(SlowDisk.Manner.SLOW),
          new SlowDisk(SlowDisk.Manner.STALLED),
          new HungDisk(),
          new FullStateMachine(),
          new FarBehind(FarBehind.Manner.AT_ONCE),
          new FarBehind(FarBehind.Manner.SNAPSHOT_TAKES_LONG),
          new PowerLoss(false),
          new PowerLoss(true),
          new Corruption(Corruption.Where.LOG),
          new Corruption(Corruption.Where.ROWS),
          new ClockJump());

  private Nemeses() {}

  /** The nemesis of this name, if there is one. */
  public static Optional<Nemesis> named(String name) {
    return ALL.stream().filter(nemesis -> nemesis.name().equals(name)).findFirst();
  }

  /** All names, for a message. */
  public static String names() {
    return ALL.stream().map(Nemesis::name).collect(Collectors.joining(", "));
  }
}
