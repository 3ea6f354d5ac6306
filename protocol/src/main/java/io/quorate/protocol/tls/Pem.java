package io.quorate.protocol.tls;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** Certificates and private keys as PEM (RFC 7468). Pure. */
final class Pem {
  private static final byte[] PROBE = {1};

  private Pem() {}

  /**
   * The certificates of a file, in order, at least one.
   *
   * @param name of the file
   */
  static X509Certificate[] certificates(String name, byte[] file) throws CertificateException {
    X509Certificate[] found;
    try {
      found =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(file))
              .toArray(X509Certificate[]::new);
    } catch (CertificateException e) {
      throw new CertificateException(name + " has no certificate as PEM", e);
    }
    if (found.length == 0) {
      throw new CertificateException(name + " has no certificate as PEM");
    }
    return found;
  }

  /**
   * The private key of a certificate.
   *
   * @throws GeneralSecurityException if it is not a key in PKCS 8, or that of another certificate
   */
  static PrivateKey key(byte[] file, X509Certificate owner) throws GeneralSecurityException {
    String algorithm = owner.getPublicKey().getAlgorithm();
    String text = new String(file, StandardCharsets.US_ASCII);
    PrivateKey key;
    try {
      byte[] bytes = Base64.getMimeDecoder().decode(text.replaceAll("-----[A-Z ]+-----", ""));
      key = KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(bytes));
    } catch (IllegalArgumentException | InvalidKeySpecException e) {
      throw new InvalidKeyException(
          Tls.KEY
              + " has no "
              + algorithm
              + " key in PKCS 8 without a password, as PEM (BEGIN PRIVATE KEY)",
          e);
    }
    Signature signature =
        Signature.getInstance(
            switch (algorithm) {
              case "EC" -> "SHA256withECDSA";
              case "RSA" -> "SHA256withRSA";
              default -> algorithm;
            });
    signature.initSign(key);
    signature.update(PROBE);
    byte[] signed = signature.sign();
    signature.initVerify(owner);
    signature.update(PROBE);
    if (!signature.verify(signed)) {
      throw new InvalidKeyException("the key is not that of the certificate");
    }
    return key;
  }

  static String of(List<X509Certificate> certificates) throws CertificateException {
    StringBuilder text = new StringBuilder();
    for (X509Certificate certificate : certificates) {
      text.append(encoded("CERTIFICATE", certificate.getEncoded()));
    }
    return text.toString();
  }

  static String of(Key key) {
    return encoded("PRIVATE KEY", key.getEncoded());
  }

  private static String encoded(String kind, byte[] bytes) {
    String lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN " + kind + "-----\n" + lines + "\n-----END " + kind + "-----\n";
  }
}
