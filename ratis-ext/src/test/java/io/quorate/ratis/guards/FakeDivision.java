package io.quorate.ratis.guards;

import io.quorate.ratis.log.ReplicaStates;
import io.quorate.ratis.patches.CheckedConfiguration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.UUID;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.util.LifeCycle;

/**
 * A replica that has only a name, its states, a term, the positions of its state and its
 * configuration, the entries of a log that begins at the last one but one of its state, and the
 * life cycle state of an open replica.
 */
final class FakeDivision {
  private FakeDivision() {}

  static final RaftPeerId ID = RaftPeerId.valueOf("here");

  static final long TERM = 3;

  /** The last entry of the state, which is the last committed one. */
  static final long STATE = 8;

  /** The term of the entries in the log. */
  static final long ENTRIES_TERM = 2;

  /** The entry with the configuration. */
  static final long CONFIGURATION = 5;

  static RaftServer.Division of(ReplicaStates states) {
    RaftStorage storage =
        (RaftStorage)
            Proxy.newProxyInstance(
                CheckedConfiguration.class.getClassLoader(),
                new Class<?>[] {CheckedConfiguration.class},
                (proxy, called, arguments) -> {
                  if (!called.getName().equals("writeRaftConfiguration")) {
                    throw new IllegalStateException("no " + called.getName());
                  }
                  try {
                    states.setConfiguration((LogEntryProto) arguments[0]);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                  return null;
                });
    DivisionInfo info =
        of(
            DivisionInfo.class,
            Map.of(
                "getCurrentTerm",
                TERM,
                "isFollower",
                true,
                "getLifeCycleState",
                LifeCycle.State.RUNNING));
    RaftConfiguration configuration =
        of(RaftConfiguration.class, Map.of("getLogEntryIndex", CONFIGURATION));
    RaftLog log = log(states);
    return (RaftServer.Division)
        Proxy.newProxyInstance(
            RaftServer.Division.class.getClassLoader(),
            new Class<?>[] {RaftServer.Division.class},
            (proxy, called, arguments) ->
                switch (called.getName()) {
                  case "getId" -> ID;
                  case "getMemberId" ->
                      RaftGroupMemberId.valueOf(ID, RaftGroupId.valueOf(new UUID(0, 1)));
                  case "getRaftStorage" -> storage;
                  case "getInfo" -> info;
                  case "getRaftLog" -> log;
                  case "getRaftConf" -> configuration;
                  default -> throw new IllegalStateException("no " + called.getName());
                });
  }

  private static RaftLog log(ReplicaStates states) {
    return (RaftLog)
        Proxy.newProxyInstance(
            RaftLog.class.getClassLoader(),
            new Class<?>[] {RaftLog.class},
            (proxy, called, arguments) ->
                switch (called.getName()) {
                  case "getSnapshotIndex", "getLastCommittedIndex" -> STATE;
                  case "getStartIndex" -> STATE - 1;
                  case "getFlushIndex" -> STATE;
                  case "contains" -> {
                    TermIndex entry = (TermIndex) arguments[0];
                    yield entry.getTerm() == ENTRIES_TERM
                        && entry.getIndex() >= STATE - 1
                        && entry.getIndex() <= STATE;
                  }
                  case "loadMetadata" -> states.vote();
                  case "persistMetadata" -> {
                    states.setVote((RaftStorageMetadata) arguments[0]);
                    yield null;
                  }
                  case "getTermIndex" -> {
                    long index = (Long) arguments[0];
                    yield index >= STATE - 1 && index <= STATE
                        ? TermIndex.valueOf(ENTRIES_TERM, index)
                        : null;
                  }
                  default -> throw new IllegalStateException("no " + called.getName());
                });
  }

  private static <T> T of(Class<T> type, Map<String, Object> results) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              Object result = results.get(called.getName());
              if (result == null) {
                throw new IllegalStateException("no " + called.getName());
              }
              return result;
            }));
  }
}
