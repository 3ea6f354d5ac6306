package io.quorate.ratis.fence;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.util.ProtoUtils;

/**
 * The Raft server as its RPC service sees it: the real one, with acknowledgements and votes checked
 * on their way out.
 *
 * <p>A dynamic proxy, because the interface has dozens of methods, of which two are checked.
 */
final class FencedServer implements InvocationHandler {
  private final RaftServer server;
  private final Optional<LeasePromises> promises;

  private FencedServer(RaftServer server, Optional<LeasePromises> promises) {
    this.server = server;
    this.promises = promises;
  }

  static RaftServer around(RaftServer server, Optional<LeasePromises> promises) {
    return (RaftServer)
        Proxy.newProxyInstance(
            RaftServer.class.getClassLoader(),
            new Class<?>[] {RaftServer.class},
            new FencedServer(server, promises));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    if (arguments != null && arguments.length == 1) {
      if (method.getName().equals("appendEntriesAsync")) {
        return append((AppendEntriesRequestProto) arguments[0]);
      }
      if (method.getName().equals("requestVote")) {
        return vote((RequestVoteRequestProto) arguments[0]);
      }
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
    return server
        .appendEntriesAsync(request)
        .thenApply(
            reply -> {
              try {
                return AckGuard.check(
                    server.getDivision(group),
                    request,
                    reply,
                    () -> promises.ifPresent(kept -> kept.renew(group)));
              } catch (IOException e) {
                throw new CompletionException(e);
              }
            });
  }

  private RequestVoteReplyProto vote(RequestVoteRequestProto request) throws IOException {
    RequestVoteReplyProto reply = server.requestVote(request);
    RaftGroupId group = ProtoUtils.toRaftGroupId(request.getServerRequest().getRaftGroupId());
    // Asked after the vote: in the term it was cast in, no older leader is acknowledged any more,
    // so
    // every promise that could matter has been noted by now.
    if (reply.getServerReply().getSuccess()
        && promises.map(kept -> kept.forbidsVote(group)).orElse(false)) {
      RaftRpcReplyProto refused = reply.getServerReply().toBuilder().setSuccess(false).build();
      return reply.toBuilder().setServerReply(refused).build();
    }
    return reply;
  }
}
