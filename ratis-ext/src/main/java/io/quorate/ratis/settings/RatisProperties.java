package io.quorate.ratis.settings;

import io.quorate.ratis.guards.GuardedRpcType;
import io.quorate.ratis.rpc.PipelinedLogAppender;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/**
 * Translates the settings of the engine into those of Ratis, and pins those whose defaults are
 * unsuitable.
 */
public final class RatisProperties {
  /** Ratis requires the entry and its framing to fit into its write buffer. */
  private static final int ENTRY_FRAMING_BYTES = 4 << 10;

  /** A leader of Ratis does not start with less. */
  private static final long WRITE_BYTES_MIN = 1 << 20;

  private RatisProperties() {}

  public static RaftProperties of(RatisSettings settings) {
    RaftProperties properties = new RaftProperties();
    properties.set(RaftConfigKeys.Rpc.TYPE_KEY, GuardedRpcType.class.getName());
    setTimeouts(properties, settings);
    setLog(properties, settings);
    setBounds(properties, settings);
    setReplacedFeatures(properties);
    return properties;
  }

  public static void setStorage(RaftProperties properties, Path directory) {
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    RaftServerConfigKeys.setRemovedGroupsDir(
        properties, new File(directory.toFile(), "removed-groups"));
  }

  private static void setTimeouts(RaftProperties properties, RatisSettings settings) {
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, time(settings.elections().timeoutMin()));
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, time(settings.elections().timeoutMax()));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(
        properties, time(settings.elections().firstTimeoutMin()));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(
        properties, time(settings.elections().firstTimeoutMax()));
    // By default, a process that was paused for a minute shuts its Raft server down permanently.
    RaftServerConfigKeys.setCloseThreshold(properties, TimeDuration.valueOf(365, TimeUnit.DAYS));
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(
        properties, time(settings.elections().timeoutMax().multipliedBy(2)));
  }

  private static void setLog(RaftProperties properties, RatisSettings settings) {
    // With composed appends a follower acknowledges entries it no longer holds: see AckGuard.
    RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
    // A log entry for each commit index would double the fsyncs.
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
  }

  private static void setBounds(RaftProperties properties, RatisSettings settings) {
    long entry = settings.proposals().entryBytesMax() + (long) ENTRY_FRAMING_BYTES;
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, size(entry));
    RaftServerConfigKeys.Log.Appender.setBufferElementLimit(properties, 256);
    // The proposer's window is far below these two limits, so they never reject an entry.
    RaftServerConfigKeys.Write.setElementLimit(
        properties, settings.proposals().entriesInFlightMax() + 64);
    RaftServerConfigKeys.Write.setByteLimit(
        properties,
        size(Math.max(WRITE_BYTES_MIN, entry * (settings.proposals().entriesInFlightMax() + 1L))));
    PipelinedLogAppender.setRequestsMax(properties, settings.log().appendsInFlightMax());
  }

  private static void setReplacedFeatures(RaftProperties properties) {
    // Snapshots: the durable state is in RocksDB and advances when RocksDB is flushed; Ratis' own
    // trigger would delay every reply until each pending apply had finished.
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, false);
    RaftServerConfigKeys.Snapshot.setTriggerWhenStopEnabled(properties, false);
    RaftServerConfigKeys.Snapshot.setTriggerWhenRemoveEnabled(properties, false);
    // The leader notifies a replica to fetch the state instead of sending files.
    RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(properties, false);
    // Deduplication is in the state machine; the engine never submits an entry twice.
    RaftServerConfigKeys.RetryCache.setExpiryTime(
        properties, TimeDuration.valueOf(1, TimeUnit.SECONDS));
    // Reads never go through Ratis (see ReadIndex). Any other read index type would lower the
    // commit index that followers receive.
    RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.DEFAULT);
    RaftServerConfigKeys.Read.ReadIndex.setType(
        properties, RaftServerConfigKeys.Read.ReadIndex.Type.COMMIT_INDEX);
    RaftServerConfigKeys.Read.ReadAfterWriteConsistent.setWriteIndexCacheExpiryTime(
        properties, TimeDuration.valueOf(1, TimeUnit.SECONDS));
  }

  private static TimeDuration time(Duration duration) {
    return TimeDuration.valueOf(duration.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static SizeInBytes size(long bytes) {
    return SizeInBytes.valueOf(bytes);
  }
}
