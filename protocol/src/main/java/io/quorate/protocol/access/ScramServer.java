package io.quorate.protocol.access;

import io.quorate.common.DecodeException;
import io.quorate.model.Role;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Function;

/**
 * The node's side of one authentication by SCRAM-SHA-256 (RFC 5802, section 5), without channel
 * binding: TLS has shown the node's certificate to the client. Used by one thread.
 */
public final class ScramServer {
  private final String user;
  private final ScramSecret secret;
  private final String nonce;
  private final String clientFirst;
  private final String serverFirst;

  private ScramServer(String user, ScramSecret secret, String nonce, String clientFirst) {
    this.user = user;
    this.secret = secret;
    this.nonce = nonce;
    this.clientFirst = clientFirst;
    this.serverFirst =
        "r=" + nonce + ",s=" + base64(secret.salt().toByteArray()) + ",i=" + secret.iterations();
  }

  /**
   * Begins with the first message of a client.
   *
   * @param secrets what is known of the secret of a user; of one who does not exist, something that
   *     cannot be told from it
   * @param serverNonce random, without a comma
   * @throws DecodeException if the message is malformed
   */
  public static ScramServer begin(
      String message, Function<String, ScramSecret> secrets, String serverNonce) {
    if (!message.startsWith(ScramClient.NO_CHANNEL_BINDING)) {
      throw new DecodeException("the first message of an authentication begins with n,,");
    }
    String bare = message.substring(ScramClient.NO_CHANNEL_BINDING.length());
    String[] parts = bare.split(",", -1);
    if (parts.length != 2) {
      throw new DecodeException("the first message of an authentication has a name and a nonce");
    }
    String user = ScramClient.value(parts[0], "n");
    String clientNonce = ScramClient.value(parts[1], "r");
    try {
      Role.requireName(user);
    } catch (IllegalArgumentException e) {
      throw new DecodeException(e.getMessage());
    }
    return new ScramServer(user, secrets.apply(user), clientNonce + serverNonce, bare);
  }

  /** Who the client says to be. */
  public String user() {
    return user;
  }

  /** What is known of the secret that the client is to have. */
  public ScramSecret secret() {
    return secret;
  }

  /** The response to the client's first message. */
  public String first() {
    return serverFirst;
  }

  /**
   * Checks the final message of the client, in a time that does not depend on what is wrong.
   *
   * @return the response, with which the node proves that it knows the user; empty if the client
   *     does not have the secret
   * @throws DecodeException if the message is malformed
   */
  public Optional<String> finish(String clientFinal) {
    int at = clientFinal.lastIndexOf(",p=");
    if (at < 0) {
      throw new DecodeException("the final message of an authentication has a proof");
    }
    String withoutProof = clientFinal.substring(0, at);
    byte[] proof = ScramClient.decode(clientFinal.substring(at + 3));
    String text = clientFirst + "," + serverFirst + "," + withoutProof;
    byte[] signature = ScramHash.mac(secret.storedKey().toByteArray(), text);
    if (proof.length != ScramHash.BYTES) {
      throw new DecodeException("a proof has " + ScramHash.BYTES + " bytes");
    }
    boolean isKnown =
        MessageDigest.isEqual(
            ScramHash.hash(ScramHash.xor(proof, signature)), secret.storedKey().toByteArray());
    boolean isOfThisExchange =
        withoutProof.equals("c=" + ScramClient.CHANNEL_BINDING + ",r=" + nonce);
    return isKnown && isOfThisExchange
        ? Optional.of("v=" + base64(ScramHash.mac(secret.serverKey().toByteArray(), text)))
        : Optional.empty();
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }
}
