package io.quorate.replication.quorum;

import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.ReadReply;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The encoding of a request for the read replies of one replica to several reads, and of its
 * response. Integers are big-endian.
 *
 * <pre>
 * request  = count(i32) scope*          scope = 0 keys(i32) key* | 1 key end(u8) [key]
 * key      = length(i32) bytes
 * response = empty, if the replica is not allowed to reply now; else
 *            epoch(i64) quorum(i32) applied pending*     position = epoch(i64) index(i64)
 * </pre>
 *
 * <p>{@code pending} is one position for each scope, in the order of the request.
 */
public final class QuorumReadCodec {
  private static final byte KEYS = 0;
  private static final byte RANGE = 1;

  private QuorumReadCodec() {}

  /** Encodes a request for one read reply to each scope. */
  public static ByteBuffer request(List<KeyScope> scopes) {
    ByteBuffer to =
        ByteBuffer.allocate(Integer.BYTES + scopes.stream().mapToInt(QuorumReadCodec::bytes).sum());
    to.putInt(scopes.size());
    for (KeyScope scope : scopes) {
      if (scope instanceof KeyScope.Keys keys) {
        to.put(KEYS).putInt(keys.keys().size());
        keys.keys().forEach(key -> put(to, key));
      } else {
        KeyRange range = ((KeyScope.Range) scope).range();
        put(to.put(RANGE), range.start());
        to.put((byte) (range.end().isPresent() ? 1 : 0));
        range.end().ifPresent(end -> put(to, end));
      }
    }
    return to.flip();
  }

  /**
   * Decodes a request.
   *
   * @throws IOException if the bytes are not a valid request
   */
  public static List<KeyScope> readRequest(ByteBuffer from) throws IOException {
    try {
      int count = count(from);
      List<KeyScope> scopes = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        scopes.add(scope(from));
      }
      return scopes;
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new IOException("A quorum read request cannot be decoded.");
    }
  }

  /**
   * Encodes a response.
   *
   * @param replies the replies of one replica, taken at one moment; empty if the replica is not
   *     allowed to reply now
   */
  public static ByteBuffer response(List<ReadReply<Void>> replies) {
    if (replies.isEmpty()) {
      return ByteBuffer.allocate(0);
    }
    ReadReply<Void> first = replies.get(0);
    ByteBuffer to =
        ByteBuffer.allocate(
            Long.BYTES + Integer.BYTES + Position.BYTES + replies.size() * Position.BYTES);
    first.applied().write(to.putLong(first.epoch()).putInt(first.quorum()));
    replies.forEach(reply -> reply.pending().write(to));
    return to.flip();
  }

  /**
   * Decodes a response.
   *
   * @param replica the sender of the response
   * @param count the number of scopes in the request
   * @return one reply for each scope; empty if the replica is not allowed to reply now
   * @throws IOException if the response ends early
   */
  public static List<ReadReply<Void>> readResponse(NodeId replica, int count, ByteBuffer from)
      throws IOException {
    if (!from.hasRemaining()) {
      return List.of();
    }
    try {
      long epoch = from.getLong();
      int quorum = from.getInt();
      Position applied = Position.read(from);
      List<ReadReply<Void>> replies = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        replies.add(new ReadReply<>(replica, epoch, quorum, applied, Position.read(from), null));
      }
      return replies;
    } catch (BufferUnderflowException e) {
      throw new IOException("A quorum read response ends early.");
    }
  }

  /** An upper bound of the size of a scope in a request, in bytes. */
  public static int bytes(KeyScope scope) {
    int bytes = 1 + Integer.BYTES;
    if (scope instanceof KeyScope.Keys keys) {
      for (Key key : keys.keys()) {
        bytes += Integer.BYTES + key.size();
      }
    } else {
      KeyRange range = ((KeyScope.Range) scope).range();
      bytes += Integer.BYTES + range.start().size();
      bytes += range.end().map(end -> Integer.BYTES + end.size()).orElse(0);
    }
    return bytes;
  }

  private static KeyScope scope(ByteBuffer from) throws IOException {
    byte kind = from.get();
    if (kind == KEYS) {
      int count = count(from);
      List<Key> keys = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        keys.add(key(from));
      }
      return new KeyScope.Keys(keys);
    } else if (kind == RANGE) {
      Key start = key(from);
      Optional<Key> end = from.get() == 0 ? Optional.empty() : Optional.of(key(from));
      return KeyScope.range(new KeyRange(start, end));
    }
    throw new IOException("A quorum read request has a scope of unknown kind " + kind + ".");
  }

  /**
   * Each element takes at least four bytes. The check bounds the memory that a malformed count can
   * allocate.
   */
  private static int count(ByteBuffer from) {
    int count = from.getInt();
    if (count < 0 || count > from.remaining() / Integer.BYTES) {
      throw new BufferUnderflowException();
    }
    return count;
  }

  private static void put(ByteBuffer to, Key key) {
    to.putInt(key.size()).put(key.bytes());
  }

  private static Key key(ByteBuffer from) {
    int length = from.getInt();
    if (length < 0 || length > from.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    from.get(bytes);
    return Key.wrap(bytes);
  }
}
