package io.quorate.ratis.patches;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;

/**
 * Keeps the configuration of a replica the last one that it knows while a leader announces
 * snapshots to it.
 *
 * <ul>
 *   <li>An announcement that is received again, and has an older configuration: Ratis 3.3.0
 *       installs nothing, but puts that one into effect. It is omitted here (decision 0058).
 *   <li>Any announcement: Ratis puts its configuration into effect even if it cannot be written. It
 *       is written here first (decision 0067).
 * </ul>
 *
 * <p>Upstream: not reported. Fails without it: {@code GuardedRaftServerTest}. Can go when Ratis
 * ignores the configuration of a snapshot that is installed already, and rejects a request whose
 * configuration it could not write.
 */
public final class AnnouncedConfiguration {
  private AnnouncedConfiguration() {}

  /**
   * A request to install a snapshot, without its configuration if the state has the snapshot
   * already and this replica has a later configuration. No request with entries must enter the log
   * before it is passed on.
   */
  public static InstallSnapshotRequestProto withoutFormer(
      RaftServer.Division division, InstallSnapshotRequestProto request) {
    long first = request.getNotification().getFirstAvailableTermIndex().getIndex();
    boolean isInstalled = division.getRaftLog().getSnapshotIndex() + 1 >= first;
    long configuration = request.getLastRaftConfigurationLogEntryProto().getIndex();
    return isInstalled && configuration < division.getRaftConf().getLogEntryIndex()
        ? request.toBuilder().clearLastRaftConfigurationLogEntryProto().build()
        : request;
  }

  /**
   * Makes the configuration of an announced snapshot durable, before the state that has it replaces
   * that of this replica and its log. The configuration returned has the term of the leader: every
   * configuration after it is of a later term, or of a later entry in this one. Blocks.
   *
   * @throws IOException if it cannot be written; Ratis must not receive the request
   */
  public static InstallSnapshotRequestProto durable(
      RaftServer.Division division, InstallSnapshotRequestProto request) throws IOException {
    if (!request.hasLastRaftConfigurationLogEntryProto()) {
      return request;
    }
    LogEntryProto configuration =
        request.getLastRaftConfigurationLogEntryProto().toBuilder()
            .setTerm(request.getLeaderTerm())
            .build();
    if (request.getLeaderTerm() >= division.getInfo().getCurrentTerm()) {
      try {
        ((CheckedConfiguration) division.getRaftStorage()).writeRaftConfiguration(configuration);
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }
    return request.toBuilder().setLastRaftConfigurationLogEntryProto(configuration).build();
  }
}
