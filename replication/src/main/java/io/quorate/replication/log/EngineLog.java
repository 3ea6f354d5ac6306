package io.quorate.replication.log;

import io.quorate.common.Failures;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.EngineContext;
import io.quorate.model.GroupId;
import io.quorate.replication.log.segment.LogOwner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a node as an engine has it: in {@code log} of the engine's directory, with its
 * measurements. Every method but {@link #exist} blocks; for one group, one call at a time.
 */
public final class EngineLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EngineLog.class);

  private final EngineContext context;
  private final Path directory;
  private final SharedLog node;

  /**
   * Opens the log.
   *
   * @param onFailure told that the log has failed, on its thread; must not block
   * @throws IOException as {@link SharedLog#open}
   */
  public EngineLog(
      EngineContext context,
      SharedLogSettings settings,
      Consumer<ConsensusException.Fatal> onFailure)
      throws IOException {
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
            onFailure.accept(
                new ConsensusException.Fatal("The log of this node cannot be written.", cause)));
  }

  /** For the records of one group. */
  public SharedLog node() {
    return node;
  }

  public Path directory() {
    return directory;
  }

  /** Whether a group has records. Does not block. */
  public boolean exist(GroupId group) {
    return node.groups().contains(group);
  }

  /**
   * Requires the records that a replica has since it began: without them it forgets what it has
   * sent and acknowledged.
   *
   * @throws DamagedReplicaException if they are missing, or not complete
   */
  public void require(GroupId group) throws DamagedReplicaException {
    if (context.begun().contains(group) && !exist(group)) {
      throw new DamagedReplicaException(
          String.format(
              Locale.ROOT,
              "The log %s has no records of region %s: they are missing, and votes and messages that"
                  + " this node acknowledged may be lost",
              directory,
              group));
    }
    if (node.damage(group).isPresent()) {
      throw new DamagedReplicaException(node.damage(group).get());
    }
  }

  /** Deletes the records of a group, also of a damaged one; durable when the call returns. */
  public void remove(GroupId group) throws IOException {
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
