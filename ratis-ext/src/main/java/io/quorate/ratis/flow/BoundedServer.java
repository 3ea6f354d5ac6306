package io.quorate.ratis.flow;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.ProtoUtils;

/**
 * A Raft server that rejects entries for a group whose state machine is too far behind its log. The
 * rest of such a request is processed: the leader is recognised, the election timer restarts, and
 * committed entries are applied. Does not block.
 *
 * <p>A dynamic proxy, because the interface has dozens of methods and only one is intercepted.
 */
final class BoundedServer implements InvocationHandler {
  private final RaftServer server;
  private final Predicate<RaftGroupId> isFull;

  private BoundedServer(RaftServer server, Predicate<RaftGroupId> isFull) {
    this.server = server;
    this.isFull = isFull;
  }

  static RaftServer around(RaftServer server, Predicate<RaftGroupId> isFull) {
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            new BoundedServer(server, isFull));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("appendEntriesAsync")) {
      return append((AppendEntriesRequestProto) arguments[0]);
    }
    try {
      return method.invoke(server, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private CompletableFuture<AppendEntriesReplyProto> append(AppendEntriesRequestProto request)
      throws IOException {
    RaftGroupId group = ProtoUtils.toRaftGroupId(request.getServerRequest().getRaftGroupId());
    if (!isFull.test(group)) {
      return server.appendEntriesAsync(request);
    }
    return request.getEntriesCount() == 0
        ? server.appendEntriesAsync(request).thenApply(Backpressure::marked)
        : server
            .appendEntriesAsync(Backpressure.withoutEntries(request))
            .thenApply(reply -> Backpressure.refusal(request, reply));
  }
}
