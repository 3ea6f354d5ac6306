package io.quorate.torture.simulation;

import io.quorate.rabia.core.Mutation;
import io.quorate.rabia.core.Settings;

/**
 * The parameters of a run.
 *
 * @param replicas the number of replicas at the start
 * @param operations the number of operations of each client
 * @param faults whether faults are injected
 * @param reconfigurations whether disks are lost for good, and members are replaced and added
 */
record SimulationOptions(
    Settings.Policy policy,
    Mutation mutation,
    int replicas,
    int clients,
    int keys,
    int operations,
    boolean faults,
    boolean reconfigurations) {

  /** The options that a seed determines. */
  static SimulationOptions of(long seed, Mutation mutation) {
    long kind = Math.floorMod(seed, 20L);
    int replicas = kind < 13 ? 3 : kind < 18 ? 5 : kind == 18 ? 7 : 1;
    Settings.Policy policy =
        Math.floorMod(seed, 5L) == 4 ? Settings.Policy.PUBLISHED : Settings.Policy.OWNED;
    return new SimulationOptions(
        policy, mutation, replicas, 4, 3, 12, true, Math.floorMod(seed, 3L) == 0);
  }
}
