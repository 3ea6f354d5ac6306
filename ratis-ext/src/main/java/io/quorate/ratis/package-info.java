/**
 * The Raft engine: Apache Ratis behind the consensus contract.
 *
 * <p>Ratis replicates the log and elects leaders. Added on top of it are: many commands in one log
 * entry ({@link io.quorate.ratis.Proposer}), repairs of Ratis 3.3.0 ({@code patches}, with {@code
 * guards}), a read index ({@code read}), reads without the leader ({@code quorum}), back-pressure
 * ({@code flow}), detection of stalled disks ({@code health}), groups that stop while they are not
 * in use ({@code hibernation}), and the installation of snapshots at replicas that fell behind the
 * log ({@link io.quorate.ratis.SnapshotInstallation}). This package assembles these parts and
 * implements the contract; code that does not depend on Ratis is in {@code io.quorate.consensus}.
 */
package io.quorate.ratis;
