package io.quorate.server.verification.nemesis;

import io.quorate.server.verification.agent.PointOrder;
import io.quorate.server.verification.nemesis.Partition.Shape;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Every kind of fault that can be asked for. */
public final class Nemeses {
  private static final String OWN_FILE_SYSTEM =
      "it needs a file system of its own for each node, which the harness does not make";

  /** A node flushes what it has applied at least so often. */
  private static final long FLUSH_MILLIS_MOST = 12_000;

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
              FLUSH_MILLIS_MOST,
              seed ->
                  new PointOrder.CrashBetween("storage.apply.before-write", "storage.flush.after")),
          new LateAcknowledgement(),
          new NotHere("disk-full", OWN_FILE_SYSTEM),
          new NotHere("slow-disk", OWN_FILE_SYSTEM),
          new NotHere("power-loss", OWN_FILE_SYSTEM),
          new NotHere("clock-jump", "the harness does not change the clocks of processes"),
          new NotHere("corruption", "the harness does not change files of a node"));

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
