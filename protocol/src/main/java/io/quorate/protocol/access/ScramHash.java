package io.quorate.protocol.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/** The functions of SCRAM-SHA-256 (RFC 5802, section 2.2 and 3; RFC 7677). */
final class ScramHash {
  static final int BYTES = 32;

  private static final String MAC = "HmacSHA256";

  private ScramHash() {}

  /** ClientKey and ServerKey. */
  record Keys(byte[] client, byte[] server) {}

  static Keys keys(String secret, byte[] salt, int iterations) {
    try {
      PBEKeySpec spec = new PBEKeySpec(secret.toCharArray(), salt, iterations, BYTES * Byte.SIZE);
      byte[] salted =
          SecretKeyFactory.getInstance("PBKDF2With" + MAC).generateSecret(spec).getEncoded();
      spec.clearPassword();
      return new Keys(mac(salted, "Client Key"), mac(salted, "Server Key"));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java runtime has no PBKDF2", e);
    }
  }

  static byte[] mac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(key, MAC));
      return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java runtime has no " + MAC, e);
    }
  }

  static byte[] hash(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java runtime has no SHA-256", e);
    }
  }

  static byte[] xor(byte[] a, byte[] b) {
    byte[] mixed = new byte[a.length];
    for (int i = 0; i < mixed.length; i++) {
      mixed[i] = (byte) (a[i] ^ b[i]);
    }
    return mixed;
  }
}
