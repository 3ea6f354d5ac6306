package io.quorate.protocol.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.quorate.consensus.KnownNodes.PeerSecurity;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.TrustManagerFactory;

/**
 * TLS 1.3 with the certificates of a directory, which has {@value #AUTHORITIES}, {@value
 * #CERTIFICATE} with the chain below an authority, and {@value #KEY}, a private key in PKCS 8
 * without a password, each as PEM. Both ends present a certificate. Host names are not compared:
 * who the other end is, is what {@link #nameOf} reads. Any thread.
 */
public final class Tls implements PeerSecurity {
  public static final String AUTHORITIES = "ca.crt";
  public static final String CERTIFICATE = "tls.crt";
  public static final String KEY = "tls.key";

  private static final String VERSION = "TLSv1.3";

  private final Path directory;
  private final Provider provider;
  private final boolean isAnonymous;
  private volatile Contexts contexts;

  /** What encrypts. */
  public enum Provider {
    BORINGSSL("BoringSSL", SslProvider.OPENSSL),
    JDK("JDK", SslProvider.JDK);

    private final String text;
    private final SslProvider netty;

    Provider(String text, SslProvider netty) {
      this.text = text;
      this.netty = netty;
    }

    /** That of this process: BoringSSL where its native library is and loads. */
    public static Provider available() {
      return OpenSsl.isAvailable() ? BORINGSSL : JDK;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * What was made of the files at a time.
   *
   * @param own empty without a certificate
   */
  private record Contexts(List<byte[]> files, SslContext client, Optional<Own> own) {}

  /** What was made of the certificate. */
  private record Own(SslContext server, CertificateName name, Instant expires) {}

  private Tls(Path directory, boolean isAnonymous, Provider provider) throws IOException {
    this.directory = directory;
    this.provider = provider;
    this.isAnonymous = isAnonymous;
    this.contexts = read(files());
  }

  /**
   * Reads the certificates of a directory. Blocks.
   *
   * @throws IOException if they cannot be read or used, which {@link io.quorate.common.FileErrors}
   *     describes
   */
  public static Tls load(Path directory) throws IOException {
    return load(directory, Provider.available());
  }

  static Tls load(Path directory, Provider provider) throws IOException {
    return new Tls(directory, false, provider);
  }

  /**
   * As {@link #load}, for connections that are opened and on which this end presents nothing: of
   * the files, it needs {@value #AUTHORITIES} alone.
   */
  public static Tls anonymous(Path directory) throws IOException {
    return new Tls(directory, true, Provider.available());
  }

  /**
   * Uses other certificates for further connections if files have changed. If they cannot be used,
   * the former ones stay. Blocks.
   *
   * @return whether they have changed
   * @throws IOException as of {@link #load}
   */
  public synchronized boolean reload() throws IOException {
    List<byte[]> files = files();
    for (int i = 0; i < files.size(); i++) {
      if (!Arrays.equals(files.get(i), contexts.files().get(i))) {
        contexts = read(files);
        return true;
      }
    }
    return false;
  }

  private List<byte[]> files() throws IOException {
    byte[] authorities = Files.readAllBytes(directory.resolve(AUTHORITIES));
    if (isAnonymous) {
      return List.of(authorities);
    }
    return List.of(
        authorities,
        Files.readAllBytes(directory.resolve(CERTIFICATE)),
        Files.readAllBytes(directory.resolve(KEY)));
  }

  private Contexts read(List<byte[]> files) throws IOException {
    try {
      X509Certificate[] authorities = Pem.certificates(AUTHORITIES, files.get(0));
      if (isAnonymous) {
        return new Contexts(
            files, client(SslContextBuilder.forClient(), authorities), Optional.empty());
      }
      X509Certificate[] chain = Pem.certificates(CERTIFICATE, files.get(1));
      PrivateKey key = Pem.key(files.get(2), chain[0]);
      CertificateName name =
          CertificateName.of(chain[0])
              .orElseThrow(
                  () ->
                      new CertificateException(
                          "the certificate names neither a node nor a user, by an alternative name"
                              + " such as URI:quorate:node:n1"));
      return new Contexts(
          files,
          client(SslContextBuilder.forClient().keyManager(key, chain), authorities),
          Optional.of(
              new Own(
                  context(SslContextBuilder.forServer(key, chain), authorities)
                      .clientAuth(ClientAuth.REQUIRE)
                      .build(),
                  name,
                  chain[0].getNotAfter().toInstant())));
    } catch (GeneralSecurityException | SSLException e) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The files %s, %s and %s in %s cannot be used for TLS: %s.",
              AUTHORITIES,
              CERTIFICATE,
              KEY,
              directory,
              e.getMessage()),
          e);
    }
  }

  private SslContext client(SslContextBuilder builder, X509Certificate[] authorities)
      throws SSLException {
    return context(builder, authorities).endpointIdentificationAlgorithm(null).build();
  }

  private SslContextBuilder context(SslContextBuilder builder, X509Certificate[] authorities) {
    return builder.sslProvider(provider.netty).protocols(VERSION).trustManager(authorities);
  }

  /** An end of a connection that is opened; to the same address sessions are resumed. */
  @Override
  public SSLEngine dialing(InetSocketAddress to) {
    return contexts.client().newEngine(ByteBufAllocator.DEFAULT, to.getHostString(), to.getPort());
  }

  @Override
  public SSLEngine accepting() {
    return own().server().newEngine(ByteBufAllocator.DEFAULT);
  }

  @Override
  public NodeId nodeOf(SSLSession session) throws SSLPeerUnverifiedException {
    CertificateName other = nameOf(session);
    if (other.kind() != CertificateName.Kind.NODE) {
      throw new SSLPeerUnverifiedException("its certificate is that of " + other);
    }
    return new NodeId(other.name());
  }

  /** As {@link #accepting}, also of those who present no certificate. */
  public SSLEngine acceptingAnyone() {
    SSLEngine engine = accepting();
    engine.setWantClientAuth(true);
    return engine;
  }

  /** What trusts the authorities and presents nothing, for the HTTP client of the JDK. */
  public SSLContext trusting() throws IOException {
    return context(null);
  }

  /** What trusts the authorities and presents the certificate, for the HTTP client of the JDK. */
  public SSLContext presenting() throws IOException {
    try {
      List<byte[]> files = contexts.files();
      X509Certificate[] chain = Pem.certificates(CERTIFICATE, files.get(1));
      KeyStore own = KeyStore.getInstance(KeyStore.getDefaultType());
      own.load(null, null);
      own.setKeyEntry("own", Pem.key(files.get(2), chain[0]), new char[0], chain);
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(own, new char[0]);
      return context(managers.getKeyManagers());
    } catch (GeneralSecurityException e) {
      throw new IOException("TLS is not available: " + e.getMessage() + ".", e);
    }
  }

  private SSLContext context(KeyManager[] presenting) throws IOException {
    try {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (X509Certificate authority : Pem.certificates(AUTHORITIES, contexts.files().get(0))) {
        trusted.setCertificateEntry(authority.getSubjectX500Principal().getName(), authority);
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance(VERSION);
      context.init(presenting, managers.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException("TLS is not available: " + e.getMessage() + ".", e);
    }
  }

  /** Whether the other end presents the certificate of the same owner. */
  public boolean isSelf(SSLSession session) {
    try {
      return nameOf(session).equals(name());
    } catch (SSLPeerUnverifiedException e) {
      return false;
    }
  }

  private Own own() {
    return contexts
        .own()
        .orElseThrow(() -> new IllegalStateException("This end presents no certificate"));
  }

  /** Whose certificate this is. */
  public CertificateName name() {
    return own().name();
  }

  /** What encrypts the connections. */
  public Provider provider() {
    return provider;
  }

  /** When the certificate that is presented expires. */
  public Instant expires() {
    return own().expires();
  }

  /**
   * Who the other end of a connection is.
   *
   * @throws SSLPeerUnverifiedException if its certificate says neither a node nor a user
   */
  public static CertificateName nameOf(SSLSession session) throws SSLPeerUnverifiedException {
    Certificate[] chain = session.getPeerCertificates();
    requireValid(chain);
    return chain.length > 0 && chain[0] instanceof X509Certificate own
        ? CertificateName.of(own)
            .orElseThrow(
                () ->
                    new SSLPeerUnverifiedException(
                        "its certificate names neither a node nor a user"))
        : unverified();
  }

  /** A session may be resumed after the certificate with which it began has expired. */
  private static void requireValid(Certificate[] chain) throws SSLPeerUnverifiedException {
    try {
      if (chain.length > 0 && chain[0] instanceof X509Certificate own) {
        own.checkValidity();
      }
    } catch (CertificateException e) {
      throw new SSLPeerUnverifiedException("its certificate is not valid: " + e.getMessage());
    }
  }

  private static CertificateName unverified() throws SSLPeerUnverifiedException {
    throw new SSLPeerUnverifiedException("it has presented no certificate");
  }
}
