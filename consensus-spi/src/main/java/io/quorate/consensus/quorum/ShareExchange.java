package io.quorate.consensus.quorum;

import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How one replica asks another for its shares of several reads at once.
 *
 * <pre>
 * request = count(i32) scope*          scope = 0 keys(i32) key* | 1 key end(u8) [key]
 * key     = length(i32) bytes
 * answer  = nothing, if the replica may not answer; else
 *           epoch(i64) quorum(i32) applied pending*      position = epoch(i64) index(i64)
 * </pre>
 */
public final class ShareExchange {
  private static final byte KEYS = 0;
  private static final byte RANGE = 1;
  private static final int POSITION_BYTES = 2 * Long.BYTES;

  private ShareExchange() {}

  /** Asks for a share of each scope. */
  public static ByteBuffer request(List<KeyScope> scopes) {
    ByteBuffer to =
        ByteBuffer.allocate(Integer.BYTES + scopes.stream().mapToInt(ShareExchange::bytes).sum());
    to.putInt(scopes.size());
    for (KeyScope scope : scopes) {
      if (scope instanceof KeyScope.Keys keys) {
        to.put(KEYS).putInt(keys.keys().size());
        keys.keys().forEach(key -> put(to, key));
      } else if (scope instanceof KeyScope.Range range) {
        put(to.put(RANGE), range.range().start());
        to.put((byte) (range.range().end().isPresent() ? 1 : 0));
        range.range().end().ifPresent(end -> put(to, end));
      }
    }
    return to.flip();
  }

  /**
   * @throws IOException if it is no request
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
      throw new IOException("A request for shares cannot be read.");
    }
  }

  /** Shares of one replica at one moment; empty if it may not answer. */
  public static ByteBuffer answer(List<Share<Void>> shares) {
    if (shares.isEmpty()) {
      return ByteBuffer.allocate(0);
    }
    Share<Void> first = shares.get(0);
    ByteBuffer to =
        ByteBuffer.allocate(
            Long.BYTES + Integer.BYTES + POSITION_BYTES + shares.size() * POSITION_BYTES);
    put(to.putLong(first.epoch()).putInt(first.quorum()), first.applied());
    shares.forEach(share -> put(to, share.pending()));
    return to.flip();
  }

  /**
   * @param count how many shares were asked for
   * @return empty if the other one may not answer now
   * @throws IOException if it is no answer to that
   */
  public static List<Share<Void>> readAnswer(NodeId replica, int count, ByteBuffer from)
      throws IOException {
    if (!from.hasRemaining()) {
      return List.of();
    }
    try {
      long epoch = from.getLong();
      int quorum = from.getInt();
      Position applied = position(from);
      List<Share<Void>> shares = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        shares.add(new Share<>(replica, epoch, quorum, applied, position(from), null));
      }
      return shares;
    } catch (BufferUnderflowException e) {
      throw new IOException("An answer with shares ends early.");
    }
  }

  /** How many bytes a scope takes up in a request. */
  public static int bytes(KeyScope scope) {
    int bytes = 1 + Integer.BYTES;
    if (scope instanceof KeyScope.Keys keys) {
      for (Key key : keys.keys()) {
        bytes += Integer.BYTES + key.size();
      }
    } else if (scope instanceof KeyScope.Range range) {
      bytes += Integer.BYTES + range.range().start().size();
      bytes += range.range().end().map(end -> Integer.BYTES + end.size()).orElse(0);
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
    throw new IOException("A request for shares names a scope of kind " + kind + ".");
  }

  /** Each of what is counted takes up at least four bytes, so nothing large is made for a lie. */
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

  private static void put(ByteBuffer to, Position position) {
    to.putLong(position.epoch()).putLong(position.index());
  }

  private static Position position(ByteBuffer from) {
    return new Position(from.getLong(), from.getLong());
  }
}
