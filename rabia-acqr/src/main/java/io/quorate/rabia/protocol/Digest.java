package io.quorate.rabia.protocol;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;

/** The digest of a body: the first 128 bits of its SHA-256 hash. */
public record Digest(long high, long low) {
  static final Digest NONE = new Digest(0, 0);

  /** The digest of buffers in order, each with its length. Reads between position and limit. */
  static Digest of(List<ByteBuffer> parts) {
    MessageDigest sha;
    try {
      sha = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
    ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
    for (ByteBuffer part : parts) {
      sha.update(length.clear().putInt(part.remaining()).flip());
      sha.update(part.duplicate());
    }
    ByteBuffer hash = ByteBuffer.wrap(sha.digest());
    return new Digest(hash.getLong(), hash.getLong());
  }
}
