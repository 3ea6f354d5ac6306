package io.quorate.server.node.monitor;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.common.Sentences;
import io.quorate.model.GroupId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The replicas that are assigned to this node, that it does not have or whose files are damaged,
 * and that it may not begin, because empty ones would contradict what the former ones have
 * acknowledged. Damage is reported at once, and any other loss when it has lasted for some seconds,
 * since what explains it may be applied just now. Any thread.
 */
public final class LostReplicas {
  private static final long REPORTED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier nanoClock;
  private final Map<GroupId, Loss> losses = new ConcurrentHashMap<>();

  private record Loss(RegionEpoch epoch, long sinceNanos, Optional<String> damage) {}

  public LostReplicas(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /**
   * Records that a replica is lost.
   *
   * @param epoch in which it is assigned
   * @return whether it was not recorded yet
   */
  public boolean add(GroupId region, RegionEpoch epoch) {
    Loss present = losses.get(region);
    if (present != null && present.epoch().equals(epoch)) {
      return false;
    }
    losses.put(region, new Loss(epoch, nanoClock.getAsLong(), Optional.empty()));
    return present == null;
  }

  /**
   * Records that a replica is lost because its files are damaged or missing.
   *
   * @param damage a sentence that names the file
   */
  public void addDamaged(GroupId region, RegionEpoch epoch, String damage) {
    losses.put(region, new Loss(epoch, nanoClock.getAsLong(), Optional.of(damage)));
  }

  /** Forgets all others. */
  public void retain(Set<GroupId> lost) {
    losses.keySet().retainAll(lost);
  }

  /** The replicas that are to be reported, and the epochs in which they are assigned. */
  public Map<GroupId, RegionEpoch> reported() {
    return losses.entrySet().stream()
        .filter(entry -> isReported(entry.getValue()))
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().epoch()));
  }

  /** What is damaged or missing of a lost replica; empty if it is not known. */
  public String damage(GroupId region) {
    return Optional.ofNullable(losses.get(region)).flatMap(Loss::damage).orElse("");
  }

  private static String reason(String damage) {
    return " Reason: " + Sentences.sentence(damage);
  }

  private boolean isReported(Loss loss) {
    return loss.damage().isPresent()
        || nanoClock.getAsLong() - loss.sinceNanos() >= REPORTED_AFTER_NANOS;
  }

  /** What is to be reported, a sentence for each replica in the order of the regions. */
  public List<String> problems() {
    return losses.entrySet().stream()
        .filter(entry -> isReported(entry.getValue()))
        .sorted(Map.Entry.comparingByKey())
        .map(
            entry ->
                String.format(
                    Locale.ROOT,
                    "The replica of region %s on this node is lost; the node receives another one"
                        + " if the others have a majority.%s",
                    entry.getKey(),
                    entry.getValue().damage().map(LostReplicas::reason).orElse("")))
        .toList();
  }
}
