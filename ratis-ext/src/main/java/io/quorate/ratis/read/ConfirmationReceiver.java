package io.quorate.ratis.read;

import io.quorate.common.DecodeException;
import io.quorate.model.NodeId;
import io.quorate.ratis.heartbeat.GroupTerm;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * Confirms to other nodes that they still lead (rule L9d). A replica confirms a term if that is its
 * own present term: then it has voted in no later one. It does not confirm a later term than its
 * own, because it might still vote in one between them.
 */
public final class ConfirmationReceiver {
  /** The term of a group of which this node has no replica. */
  public static final long NO_REPLICA = -1;

  private final ToLongFunction<RaftGroupId> terms;

  /**
   * @param terms the present term of each replica of this node, in memory, which is at least the
   *     term of any vote that it has sent; {@link #NO_REPLICA} where there is none. Does not block.
   */
  public ConfirmationReceiver(ToLongFunction<RaftGroupId> terms) {
    this.terms = terms;
  }

  /**
   * Serves a request. Does not block.
   *
   * @return a bit for each group of the request, in the order there: whether its term is confirmed.
   *     Fails if the request is malformed.
   */
  public CompletionStage<ByteBuffer> respond(NodeId from, ByteBuffer request) {
    List<GroupTerm> groups;
    try {
      groups = GroupTerm.decode(request);
    } catch (DecodeException e) {
      return CompletableFuture.failedFuture(new IOException(e.getMessage(), e));
    }
    BitSet confirmed = new BitSet(groups.size());
    for (int i = 0; i < groups.size(); i++) {
      GroupTerm each = groups.get(i);
      confirmed.set(i, terms.applyAsLong(each.group()) == each.term());
    }
    return CompletableFuture.completedFuture(ByteBuffer.wrap(confirmed.toByteArray()));
  }
}
