package io.quorate.ratis;

import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableFiles;
import io.quorate.common.Failures;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.EngineContext;
import io.quorate.consensus.GroupSpec;
import io.quorate.model.GroupId;
import io.quorate.ratis.log.EntryLog;
import io.quorate.replication.log.DamagedGroupException;
import io.quorate.replication.log.SharedLog;
import io.quorate.replication.log.SharedLogMetrics;
import io.quorate.replication.log.SharedLogSettings;
import io.quorate.replication.log.segment.DamagedRecordException;
import io.quorate.replication.log.segment.LogOwner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logs of this node's replicas, all in the log of the node. Every method but {@link #exist}
 * blocks; for one group, one call at a time.
 */
final class ReplicaLogs implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaLogs.class);

  private final EngineContext context;
  private final Path directory;
  private final SharedLog node;

  /** Opens the log of the node. */
  ReplicaLogs(EngineContext context, SharedLogSettings settings) throws IOException {
    this.context = context;
    this.directory = context.directory().resolve("log");
    this.node =
        SharedLog.open(
            directory,
            context.directory(),
            new LogOwner(context.cluster(), context.self()),
            settings);
    SharedLogMetrics.register(context.telemetry(), node.counters());
    node.whenFailed(
        cause ->
            context
                .fatal()
                .accept(
                    new ConsensusException.Fatal(
                        "The log of this node cannot be written.", cause)));
  }

  boolean exist(GroupId group) {
    return node.groups().contains(group);
  }

  /**
   * Requires the records that a replica has since it began: without them it forgets its votes, what
   * it acknowledged, or who its members are.
   *
   * @throws DamagedReplicaException if they are missing, or not complete
   */
  void require(GroupId group) throws DamagedReplicaException {
    if (context.begun().contains(group) && !exist(group)) {
      throw new DamagedReplicaException(
          String.format(
              Locale.ROOT,
              "The log %s has no records of region %s: they are missing, and votes and entries that"
                  + " this node acknowledged may be lost",
              directory,
              group));
    }
    if (node.damage(group).isPresent()) {
      throw new DamagedReplicaException(node.damage(group).get());
    }
  }

  /**
   * Opens the log of a replica, or begins it.
   *
   * @throws DamagedReplicaException if it differs from what was written
   */
  EntryLog open(GroupSpec spec) throws IOException {
    require(spec.group());
    try {
      return EntryLog.open(node, spec.group(), spec.inheritedEpoch());
    } catch (DamagedGroupException | DamagedLogException | DamagedRecordException e) {
      throw new DamagedReplicaException(e);
    }
  }

  /** Deletes the records of a replica. */
  void remove(GroupId group) throws IOException {
    DurableFiles.deleteTree(MemberSnapshots.directory(context, group));
    try {
      node.remove(group, Runnable::run).join();
    } catch (CompletionException e) {
      throw new IOException(
          "Region " + group + " cannot be removed from the log.", Failures.unwrap(e));
    }
  }

  @Override
  public void close() {
    try {
      node.close();
    } catch (IOException e) {
      LOG.warn("A log file could not be closed; all of it that is durable stays so", e);
    }
  }
}
