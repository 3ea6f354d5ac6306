package io.quorate.protocol.access;

import com.google.protobuf.ByteString;
import io.quorate.protocol.wire.v1.ScramSecret.Builder;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Locale;

/**
 * What a node knows of the secret of a user (RFC 5802, section 3): enough to tell whether a client
 * has the secret, and not enough to present oneself as that client.
 *
 * @param salt random
 * @param iterations of the hash; from {@value #ITERATIONS_MIN} to {@value #ITERATIONS_MAX}
 * @param storedKey the hash of a key that only the client can compute
 * @param serverKey with which the node proves that it knows the user
 */
public record ScramSecret(
    ByteString salt, int iterations, ByteString storedKey, ByteString serverKey) {
  /** RFC 7677, section 4. */
  public static final int ITERATIONS_MIN = 4096;

  /** More would let a false server make a client compute for long. */
  public static final int ITERATIONS_MAX = 1_000_000;

  /** Takes some 20 ms, once for each client: it keeps the result. */
  private static final int ITERATIONS = 50_000;

  private static final int SALT_BYTES = 16;

  public ScramSecret {
    if (iterations < ITERATIONS_MIN || iterations > ITERATIONS_MAX) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "A secret is hashed from %d to %d times, not %d times.",
              ITERATIONS_MIN,
              ITERATIONS_MAX,
              iterations));
    }
    if (salt.isEmpty()
        || storedKey.size() != ScramHash.BYTES
        || serverKey.size() != ScramHash.BYTES) {
      throw new IllegalArgumentException(
          "A hashed secret has a salt, and two keys of " + ScramHash.BYTES + " bytes.");
    }
  }

  /** What nodes are to know of a secret. Takes some 20 ms of processor time. */
  public static ScramSecret of(String secret) {
    byte[] salt = new byte[SALT_BYTES];
    new SecureRandom().nextBytes(salt);
    ScramHash.Keys keys = ScramHash.keys(secret, salt, ITERATIONS);
    return new ScramSecret(
        ByteString.copyFrom(salt),
        ITERATIONS,
        ByteString.copyFrom(ScramHash.hash(keys.client())),
        ByteString.copyFrom(keys.server()));
  }

  /**
   * What is shown of a user who has no secret: it is the same whenever it is asked for, and nothing
   * proves to have it.
   *
   * @param decoy random, and known to nodes alone
   */
  public static ScramSecret ofNobody(String user, ByteString decoy) {
    byte[] key = decoy.concat(ByteString.copyFromUtf8("decoy")).toByteArray();
    return new ScramSecret(
        ByteString.copyFrom(ScramHash.mac(key, user), 0, SALT_BYTES),
        ITERATIONS,
        ByteString.copyFrom(ScramHash.mac(key, "stored " + user)),
        ByteString.copyFrom(ScramHash.mac(key, "server " + user)));
  }

  /** Whether this is known of a secret. Takes some 20 ms of processor time, right or not. */
  public boolean isOf(String secret) {
    byte[] client = ScramHash.keys(secret, salt.toByteArray(), iterations).client();
    return MessageDigest.isEqual(ScramHash.hash(client), storedKey.toByteArray());
  }

  static ScramSecret of(io.quorate.protocol.wire.v1.ScramSecret message) {
    return new ScramSecret(
        message.getSalt(), message.getIterations(), message.getStoredKey(), message.getServerKey());
  }

  Builder toMessage() {
    return io.quorate.protocol.wire.v1.ScramSecret.newBuilder()
        .setSalt(salt)
        .setIterations(iterations)
        .setStoredKey(storedKey)
        .setServerKey(serverKey);
  }

  /** Without the keys: a text may be logged. */
  @Override
  public String toString() {
    return "a hashed secret";
  }
}
