package io.quorate.protocol.access;

import io.quorate.common.DecodeException;
import io.quorate.model.Role;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The client's side of one authentication by SCRAM-SHA-256 (RFC 5802, section 5), without channel
 * binding. Used by one thread at a time.
 */
public final class ScramClient {
  static final String NO_CHANNEL_BINDING = "n,,";

  /** {@link #NO_CHANNEL_BINDING} in base 64. */
  static final String CHANNEL_BINDING = "biws";

  private static final int NONCE_BYTES = 18;

  private final String user;
  private final SecretKeys keys;
  private final String nonce;
  private String text = "";
  private ScramHash.Keys used;

  /** The secret of a user, and what was computed of it last. Any thread. */
  public static final class SecretKeys {
    private final String secret;
    private byte[] salt = {};
    private int iterations;
    private ScramHash.Keys keys;

    /**
     * @param secret any characters; not empty
     */
    public SecretKeys(String secret) {
      if (secret.isEmpty()) {
        throw new IllegalArgumentException("A secret has at least one character.");
      }
      this.secret = secret;
    }

    /** Takes some 20 ms of processor time the first time for a salt. */
    synchronized ScramHash.Keys of(byte[] withSalt, int withIterations) {
      if (keys == null || !MessageDigest.isEqual(salt, withSalt) || iterations != withIterations) {
        keys = ScramHash.keys(secret, withSalt, withIterations);
        salt = withSalt.clone();
        iterations = withIterations;
      }
      return keys;
    }

    @Override
    public String toString() {
      return "a secret";
    }
  }

  ScramClient(String user, SecretKeys keys, String nonce) {
    this.user = Role.requireName(user);
    this.keys = keys;
    this.nonce = nonce;
  }

  /** Begins an authentication. */
  public static ScramClient begin(String user, SecretKeys keys) {
    return new ScramClient(user, keys, newNonce());
  }

  /** A random nonce, of either side. */
  public static String newNonce() {
    byte[] random = new byte[NONCE_BYTES];
    new SecureRandom().nextBytes(random);
    return Base64.getEncoder().encodeToString(random);
  }

  /** The first message. */
  public String first() {
    return NO_CHANNEL_BINDING + bare();
  }

  private String bare() {
    return "n=" + user + ",r=" + nonce;
  }

  /**
   * The final message. Takes processor time, as {@link SecretKeys} says.
   *
   * @throws DecodeException if what the server has responded is malformed, or would take long
   */
  public String last(String serverFirst) {
    String[] parts = serverFirst.split(",", -1);
    if (parts.length < 3) {
      throw new DecodeException("the server's message has a nonce, a salt and iterations");
    }
    String common = value(parts[0], "r");
    if (!common.startsWith(nonce) || common.length() == nonce.length()) {
      throw new DecodeException("the server's nonce does not continue that of the client");
    }
    byte[] salt = decode(value(parts[1], "s"));
    used = keys.of(salt, iterations(value(parts[2], "i")));
    String withoutProof = "c=" + CHANNEL_BINDING + ",r=" + common;
    text = bare() + "," + serverFirst + "," + withoutProof;
    byte[] signature = ScramHash.mac(ScramHash.hash(used.client()), text);
    byte[] proof = ScramHash.xor(used.client(), signature);
    return withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof);
  }

  private static int iterations(String number) {
    int iterations;
    try {
      iterations = Integer.parseInt(number);
    } catch (NumberFormatException e) {
      throw new DecodeException("the iterations of a hash are a number");
    }
    if (iterations < ScramSecret.ITERATIONS_MIN || iterations > ScramSecret.ITERATIONS_MAX) {
      throw new DecodeException("a secret is not hashed " + iterations + " times");
    }
    return iterations;
  }

  /** Whether the server has proved that it knows the user. */
  public boolean isProved(String serverFinal) {
    return MessageDigest.isEqual(
        decode(value(serverFinal, "v")), ScramHash.mac(used.server(), text));
  }

  static String value(String part, String name) {
    if (!part.startsWith(name + "=")) {
      throw new DecodeException("a message of an authentication lacks " + name + "=");
    }
    return part.substring(name.length() + 1);
  }

  static byte[] decode(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new DecodeException("a message of an authentication is not in base 64");
    }
  }
}
