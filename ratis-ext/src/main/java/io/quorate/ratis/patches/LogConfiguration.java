package io.quorate.ratis.patches;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.impl.Configurations;
import org.apache.ratis.server.protocol.RaftServerAsynchronousProtocol;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;

/**
 * Keeps the configuration of a replica the last one in its log (Raft, section 6) while it receives
 * entries.
 *
 * <p>A follower of Ratis 3.3.0 loses configurations that are in its log, and has an older one
 * instead until it is restarted. If it is elected, its first entry is that older configuration,
 * whether or not the majorities of the two have a member in common (decision 0058).
 *
 * <ul>
 *   <li>Entries that replace others: Ratis records the configurations among them, and then forgets
 *       all from the first replaced entry on. They are recorded again here.
 *   <li>Entries that are received again: Ratis forgets all configurations from the first one on,
 *       and records those of the request, which are not the later ones of the log. Only entries
 *       that the log does not have are passed on here.
 * </ul>
 *
 * <p>Upstream: not reported; the first is of RATIS-2084. Fails without it: {@code
 * LogConfigurationTest}. Can go when Ratis removes only the configurations that are not in the log
 * any more.
 */
public final class LogConfiguration {
  private LogConfiguration() {}

  /**
   * Passes a request with entries to Ratis. No other request with entries must enter the log
   * meanwhile.
   *
   * @param server passes requests to Ratis
   * @return the reply, as if the request had been passed on as it is
   */
  public static CompletableFuture<AppendEntriesReplyProto> append(
      RaftServerAsynchronousProtocol server,
      RaftServer.Division division,
      AppendEntriesRequestProto request)
      throws IOException {
    if (!mayLose(division, request)) {
      return server.appendEntriesAsync(request);
    }
    while (true) {
      // A follower becomes a candidate under this monitor.
      synchronized (division) {
        if (division.getInfo().isFollower()) {
          return appendAsFollower(server, division, request);
        }
      }
      // Ratis waits for the end of an election, or of the work of a leader, and these may need the
      // monitor to end.
      AppendEntriesRequestProto heartbeat = request.toBuilder().clearEntries().build();
      CompletableFuture<AppendEntriesReplyProto> follows = server.appendEntriesAsync(heartbeat);
      if (follows.isCompletedExceptionally() || isRejection(follows.getNow(null))) {
        return follows.thenApply(reply -> reply.toBuilder().setIsHearbeat(false).build());
      }
    }
  }

  private static boolean isRejection(AppendEntriesReplyProto reply) {
    return reply != null && reply.getResult() == AppendResult.NOT_LEADER;
  }

  /** To be called with the division's monitor. Ratis does not wait for anything here. */
  private static CompletableFuture<AppendEntriesReplyProto> appendAsFollower(
      RaftServerAsynchronousProtocol server,
      RaftServer.Division division,
      AppendEntriesRequestProto request)
      throws IOException {
    AppendEntriesRequestProto unknown = withoutKnownEntries(division.getRaftLog(), request);
    if (unknown.getEntriesCount() == 0) {
      return server.appendEntriesAsync(unknown).thenApply(reply -> known(request, reply));
    }
    CompletableFuture<AppendEntriesReplyProto> reply = server.appendEntriesAsync(unknown);
    for (LogEntryProto entry : unknown.getEntriesList()) {
      if (entry.hasConfigurationEntry()
          && division.getRaftLog().contains(TermIndex.valueOf(entry))) {
        Configurations.add(division, entry);
      }
    }
    return reply;
  }

  /**
   * Whether the request has a configuration, or begins at or before the last one. The end of the
   * log does not matter: while this replica leads, its log may grow before the request enters.
   */
  private static boolean mayLose(RaftServer.Division division, AppendEntriesRequestProto request) {
    if (request.getEntries(0).getIndex() <= division.getRaftConf().getLogEntryIndex()) {
      return true;
    }
    for (LogEntryProto entry : request.getEntriesList()) {
      if (entry.hasConfigurationEntry()) {
        return true;
      }
    }
    return false;
  }

  private static AppendEntriesRequestProto withoutKnownEntries(
      RaftLog log, AppendEntriesRequestProto request) {
    List<LogEntryProto> entries = request.getEntriesList();
    int known = 0;
    while (known < entries.size() && log.contains(TermIndex.valueOf(entries.get(known)))) {
      known++;
    }
    return known == 0
        ? request
        : request.toBuilder()
            .setPreviousLog(TermIndex.valueOf(entries.get(known - 1)).toProto())
            .clearEntries()
            .addAllEntries(entries.subList(known, entries.size()))
            .build();
  }

  /** The reply to a request all of whose entries are known, made of that to a heartbeat. */
  private static AppendEntriesReplyProto known(
      AppendEntriesRequestProto request, AppendEntriesReplyProto reply) {
    if (reply.getResult() != AppendResult.SUCCESS) {
      return reply;
    }
    long last = request.getEntries(request.getEntriesCount() - 1).getIndex();
    return reply.toBuilder()
        .setIsHearbeat(false)
        .setMatchIndex(last)
        .setNextIndex(last + 1)
        .build();
  }
}
