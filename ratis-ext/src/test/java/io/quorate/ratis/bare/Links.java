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
 * The network between the servers of a {@link RaftTrio}. An append request over a cut link has no
 * response until the links are healed, and then fails like a broken connection; a vote request
 * fails at once. Responses to requests that were sent before the cut still arrive.
 */
public final class Links {
  private record Link(RaftPeerId from, RaftPeerId to) {}

  private record Append(RaftPeerId to, long term, long lastIndex) {}

  private final Set<Link> cut = ConcurrentHashMap.newKeySet();
  private final Map<Append, Integer> accepted = new ConcurrentHashMap<>();
  private final Map<RaftPeerId, Integer> heartbeats = new ConcurrentHashMap<>();
  private final Set<RaftPeerId> breaking = ConcurrentHashMap.newKeySet();
  private final Queue<CompletableFuture<?>> heldReplies = new ConcurrentLinkedQueue<>();

  /** Cuts one direction. */
  public void cut(RaftPeerId from, RaftPeerId to) {
    cut.add(new Link(from, to));
  }

  /** Cuts both directions. */
  public void cutBoth(RaftPeerId one, RaftPeerId other) {
    cut(one, other);
    cut(other, one);
  }

  /** Ends the cut of one direction. */
  public void restore(RaftPeerId from, RaftPeerId to) {
    cut.remove(new Link(from, to));
  }

  public void heal() {
    cut.clear();
    for (CompletableFuture<?> one = heldReplies.poll(); one != null; one = heldReplies.poll()) {
      one.completeExceptionally(new IOException("The connection was broken."));
    }
  }

  /** The next entries that a server accepts get no response; the connection breaks instead. */
  public void breakAfterNextEntries(RaftPeerId to) {
    breaking.add(to);
  }

  /**
   * How often a server has checked and accepted entries up to an index; they need not be in its
   * log.
   */
  public int timesAccepted(RaftPeerId to, long term, long lastIndex) {
    return accepted.getOrDefault(new Append(to, term, lastIndex), 0);
  }

  /** How many heartbeats a server has accepted. */
  public int heartbeatsAccepted(RaftPeerId to) {
    return heartbeats.getOrDefault(to, 0);
  }

  /** A proxy of a server that receives requests over these links. */
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
      CompletableFuture<?> held = new CompletableFuture<>();
      heldReplies.add(held);
      return held;
    }
    Object reply = server.appendEntriesAsync(request);
    int count = request.getEntriesCount();
    if (count > 0) {
      long last = request.getEntries(count - 1).getIndex();
      accepted.merge(
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
