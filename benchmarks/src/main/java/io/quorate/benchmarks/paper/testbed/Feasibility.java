package io.quorate.benchmarks.paper.testbed;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.torture.testbed.disk.LimitedDevices;
import io.quorate.torture.testbed.disk.MemoryDirectory;
import io.quorate.torture.testbed.disk.SyncDelays;
import io.quorate.torture.testbed.network.LimitedNetwork;
import io.quorate.torture.testbed.network.Network;
import io.quorate.torture.testbed.network.WideArea;
import io.quorate.torture.testbed.process.CpuQuotas;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Determines which cases this system can run.
 *
 * @param noDelays the reason why delays between sites are impossible; empty if they are possible
 * @param noMemory the reason why data cannot be kept in memory; empty if it can
 * @param noCpuLimits the reason why the CPU time of nodes cannot be limited; empty if it can
 * @param noBandwidths the reason why the bandwidth of nodes cannot be limited; empty if it can
 * @param noNamespaces the reason why only this process can limit it; empty if the system can
 * @param noCounters the reason why bytes cannot be counted; empty if they can
 * @param noDevices the reason why this system cannot limit devices; empty if it can
 * @param noSyncDelays the reason why fsyncs cannot be delayed; empty if they can
 */
public record Feasibility(
    Optional<String> noDelays,
    Optional<String> noMemory,
    Optional<String> noCpuLimits,
    Optional<String> noBandwidths,
    Optional<String> noNamespaces,
    Optional<String> noCounters,
    Optional<String> noDevices,
    Optional<String> noSyncDelays) {

  /**
   * Determines what this system can run.
   *
   * @param cases those to measure: bandwidth and devices are tried only if one of them needs them
   */
  public static Feasibility here(List<Case> cases) throws IOException {
    boolean limitsBandwidth = cases.stream().anyMatch(each -> each.clusters().limitsBandwidth());
    Optional<String> noNamespaces = limitsBandwidth ? LimitedNetwork.obstacle() : Optional.empty();
    return new Feasibility(
        WideArea.obstacle(),
        MemoryDirectory.obstacle(),
        CpuQuotas.obstacle(),
        noNamespaces.isPresent() ? Network.obstacle() : Optional.empty(),
        noNamespaces,
        SocketCounters.obstacle(),
        cases.stream().anyMatch(Feasibility::needsDevices)
            ? LimitedDevices.obstacle()
            : Optional.empty(),
        SyncDelays.obstacle());
  }

  /** What limits the bandwidth in the cases that can be measured. */
  public BandwidthLimit bandwidthLimit() {
    return noNamespaces.isPresent() ? BandwidthLimit.RELAYS : BandwidthLimit.SYSTEM;
  }

  /** The cases that can be measured. */
  public List<Case> only(List<Case> cases) {
    return cases.stream()
        .filter(each -> noDelays.isEmpty() || !needsDelays(each))
        .filter(each -> noMemory.isEmpty() || !needsMemory(each))
        .filter(each -> noCpuLimits.isEmpty() || !each.conditions().limitsCpu())
        .filter(each -> noBandwidths.isEmpty() || !each.clusters().limitsBandwidth())
        .filter(each -> noCounters.isEmpty() || !needsCounters(each))
        .filter(each -> obstacleOfSyncDelays().isEmpty() || !needsSyncDelays(each))
        .filter(each -> noDevices.isEmpty() || each.conditions().device().isEmpty())
        .toList();
  }

  /** Notes on the cases that are omitted with the reason, and on how the others are measured. */
  public List<String> notes(List<Case> cases) {
    List<String> notes = new ArrayList<>();
    if (cases.stream().anyMatch(Feasibility::needsDelays)) {
      notes.add(
          noDelays
              .map(obstacle -> "NOT MEASURED: delays between sites; " + obstacle + ".")
              .orElse(
                  "Delays between sites are those of relays in the process that measures; the"
                      + " clients are on the site of node n1."));
    }
    if (cases.stream().anyMatch(Feasibility::needsMemory)) {
      noMemory.ifPresent(obstacle -> notes.add("NOT MEASURED: data in memory; " + obstacle + "."));
    }
    if (cases.stream().anyMatch(each -> each.conditions().limitsCpu())) {
      noCpuLimits.ifPresent(
          obstacle ->
              notes.add("NOT MEASURED: nodes with a part of a core each; " + obstacle + "."));
    }
    if (cases.stream().anyMatch(each -> each.clusters().limitsBandwidth())) {
      if (noBandwidths.isPresent()) {
        notes.add("NOT MEASURED: nodes with limited bandwidth; " + noBandwidths.get() + ".");
      } else {
        noNamespaces.ifPresent(
            obstacle ->
                notes.add(
                    "LIMITED BY RELAYS: the process that measures limits the bandwidth, and needs"
                        + " processor time for each byte; a network of this machine would need"
                        + " none, but "
                        + obstacle
                        + "."));
      }
    }
    if (cases.stream().anyMatch(Feasibility::needsCounters)) {
      noCounters.ifPresent(
          obstacle -> notes.add("NOT MEASURED: bytes sent and stored; " + obstacle + "."));
    }
    if (cases.stream().anyMatch(each -> each.conditions().device().isPresent())) {
      noDevices.ifPresent(
          obstacle -> notes.add("NOT MEASURED: devices of limited speed; " + obstacle + "."));
    }
    if (cases.stream().anyMatch(Feasibility::canReplaceDevices)) {
      noDevices.ifPresent(
          obstacle ->
              notes.add(
                  "DELAYED IN THE ENGINE: an agent in each node delays the fsyncs of its log, and"
                      + " nothing else, on one disk for all; devices of their own would differ"
                      + " more, but "
                      + obstacle
                      + "."));
    }
    if (cases.stream().anyMatch(Feasibility::needsSyncDelays)) {
      notes.add(
          obstacleOfSyncDelays()
              .map(obstacle -> "NOT MEASURED: delayed fsyncs; " + obstacle + ".")
              .orElse(
                  "INJECTED: the data is in memory, and fsyncs take the time in the name of a load,"
                      + " in which the thread that syncs sleeps; nothing else of a device is"
                      + " imitated."));
    }
    return notes;
  }

  /** Why fsyncs of data in memory cannot be delayed; empty if they can. */
  private Optional<String> obstacleOfSyncDelays() {
    return noSyncDelays.or(() -> noMemory);
  }

  private static boolean needsSyncDelays(Case one) {
    return one.clusters().medium() == DataMedium.DELAYED_SYNCS;
  }

  private static boolean needsDevices(Case one) {
    return one.clusters().medium() == DataMedium.LIMITED_DEVICES;
  }

  /** Whether delays in the engine can stand for limited devices. */
  private static boolean canReplaceDevices(Case one) {
    return needsDevices(one) && one.conditions().device().isEmpty();
  }

  private static boolean needsCounters(Case one) {
    return one.observation() == Observation.BYTES;
  }

  private static boolean needsDelays(Case one) {
    return !one.oneWayDelay().isZero();
  }

  private static boolean needsMemory(Case one) {
    return one.clusters().medium() == DataMedium.MEMORY;
  }
}
