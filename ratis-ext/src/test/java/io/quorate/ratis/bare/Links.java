package io.quorate.ratis.bare;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;

/**
 * The network between the servers of a {@link RaftTrio}. What is sent over a cut link is not
 * answered until the link is healed, and then as a broken connection; answers to what was sent
 * before still arrive.
 */
public final class Links {
  private record Link(RaftPeerId from, RaftPeerId to) {}

  private record Append(RaftPeerId to, long term, long lastIndex) {}

  private final Set<Link> cut = ConcurrentHashMap.newKeySet();
  private final Map<Append, Integer> taken = new ConcurrentHashMap<>();
  private final Map<RaftPeerId, Integer> heartbeats = new ConcurrentHashMap<>();
  private final Set<RaftPeerId> breaking = ConcurrentHashMap.newKeySet();
  private final Queue<CompletableFuture<?>> unanswered = new ConcurrentLinkedQueue<>();

  /** Cuts one direction. */
  public void cut(RaftPeerId from, RaftPeerId to) {
    cut.add(new Link(from, to));
  }

  /** Cuts both directions. */
  public void cutBoth(RaftPeerId one, RaftPeerId other) {
    cut(one, other);
    cut(other, one);
  }

  public void heal() {
    cut.clear();
    for (CompletableFuture<?> one = unanswered.poll(); one != null; one = unanswered.poll()) {
      one.completeExceptionally(new IOException("The connection was broken."));
    }
  }

  /** The next entries that a server takes in are not answered; the connection breaks instead. */
  public void breakAfterNextEntries(RaftPeerId to) {
    breaking.add(to);
  }

  /**
   * How often a server has checked and taken in entries up to an index; they need not be in its
   * log.
   */
  public int timesTaken(RaftPeerId to, long term, long lastIndex) {
    return taken.getOrDefault(new Append(to, term, lastIndex), 0);
  }

  /** How many heartbeats a server has taken in. */
  public int heartbeatsTaken(RaftPeerId to) {
    return heartbeats.getOrDefault(to, 0);
  }

  /** A server as it is reached over these links. */
  RaftServer to(RaftServer server) {
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            (proxy, method, arguments) -> {
              try {
                if (arguments != null && arguments.length == 1) {
                  if (arguments[0] instanceof AppendEntriesRequestProto append) {
                    return append(server, append);
                  }
                  if (arguments[0] instanceof RequestVoteRequestProto vote) {
                    requireLink(server, vote.getServerRequest());
                  }
                }
                return method.invoke(server, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private Object append(RaftServer server, AppendEntriesRequestProto request) throws IOException {
    if (isCut(server, request.getServerRequest())) {
      CompletableFuture<?> never = new CompletableFuture<>();
      unanswered.add(never);
      return never;
    }
    Object reply = server.appendEntriesAsync(request);
    int count = request.getEntriesCount();
    if (count > 0) {
      long last = request.getEntries(count - 1).getIndex();
      taken.merge(
          new Append(server.getId(), request.getLeaderTerm(), last), 1, (one, more) -> one + more);
      if (breaking.remove(server.getId())) {
        return CompletableFuture.failedFuture(new IOException("The connection was broken."));
      }
    } else {
      heartbeats.merge(server.getId(), 1, (one, more) -> one + more);
    }
    return reply;
  }

  private void requireLink(RaftServer server, RaftRpcRequestProto header) throws IOException {
    if (isCut(server, header)) {
      throw new IOException("The link is cut.");
    }
  }

  private boolean isCut(RaftServer server, RaftRpcRequestProto header) {
    RaftPeerId from = RaftPeerId.valueOf(header.getRequestorId());
    return cut.contains(new Link(from, server.getId()));
  }
}
