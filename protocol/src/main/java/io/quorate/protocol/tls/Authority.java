package io.quorate.protocol.tls;

import io.quorate.common.DurableFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * An authority whose key is in a directory, for clusters of development and tests: {@value
 * Tls#AUTHORITIES} and {@value #KEY}. Signs with the JDK's {@code keytool}. Every method blocks.
 * One thread at a time.
 */
public final class Authority {
  static final String KEY = "ca.key";

  private static final String ALIAS = "authority";
  private static final String STORE = "PKCS12";
  private static final int DAYS = 3650;
  private static final long KEYTOOL_SECONDS_MAX = 120;

  private final Path directory;

  private Authority(Path directory) {
    this.directory = directory;
  }

  /**
   * The authority of a directory; makes one if it has none.
   *
   * @throws IOException if files cannot be read or written
   */
  public static Authority in(Path directory) throws IOException {
    Authority authority = new Authority(directory);
    Files.createDirectories(directory);
    if (!Files.exists(directory.resolve(KEY))) {
      authority.withStore(
          false,
          store -> {
            store.generate(
                ALIAS,
                "CN=Quorate development authority",
                List.of("bc:c", "ku=keyCertSign,cRLSign"));
            Files.writeString(directory.resolve(Tls.AUTHORITIES), Pem.of(store.chain(ALIAS)));
            writeKey(directory.resolve(KEY), store.key(ALIAS));
          });
    }
    return authority;
  }

  /**
   * Writes a directory of certificates as {@link Tls} reads it, with a new key.
   *
   * @param hosts names and addresses for which browsers accept the certificate
   */
  public void sign(CertificateName name, Set<String> hosts, Path target) throws IOException {
    List<String> alternatives = new ArrayList<>();
    alternatives.add("uri:" + name.uri());
    for (String host : hosts) {
      alternatives.add((isAddress(host) ? "ip:" : "dns:") + host);
    }
    Files.createDirectories(target);
    withStore(
        true,
        store -> {
          store.generate(
              "own",
              "CN=" + name.name(),
              List.of(
                  "san=" + String.join(",", alternatives),
                  "ku=digitalSignature",
                  "eku=serverAuth,clientAuth"));
          List<X509Certificate> chain = store.chain("own");
          Files.writeString(target.resolve(Tls.CERTIFICATE), Pem.of(chain.subList(0, 1)));
          Files.writeString(
              target.resolve(Tls.AUTHORITIES), Pem.of(chain.subList(1, chain.size())));
          writeKey(target.resolve(Tls.KEY), store.key("own"));
        });
  }

  private static boolean isAddress(String host) {
    return host.indexOf(':') >= 0 || host.matches("[0-9.]+");
  }

  /** What is done with a key store of {@code keytool}. */
  private interface Work {
    void with(Store store) throws IOException, GeneralSecurityException;
  }

  /** Has a key store that nobody else can read, until the work is done. */
  private void withStore(boolean hasAuthority, Work work) throws IOException {
    Path temporary = Files.createTempDirectory("quorate-certs");
    byte[] random = new byte[24];
    new SecureRandom().nextBytes(random);
    Store store = new Store(temporary, Base64.getEncoder().encodeToString(random), hasAuthority);
    try {
      if (hasAuthority) {
        store.add(
            Files.readAllBytes(directory.resolve(KEY)),
            Files.readAllBytes(directory.resolve(Tls.AUTHORITIES)));
      }
      work.with(store);
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "The authority in " + directory + " cannot sign: " + e.getMessage() + ".", e);
    } finally {
      DurableFiles.deleteTree(temporary);
    }
  }

  /** A key store in a file of a directory. */
  private record Store(Path directory, String password, boolean isSigned) {
    private Path file() {
      return directory.resolve("store.p12");
    }

    void add(byte[] key, byte[] certificate) throws IOException, GeneralSecurityException {
      KeyStore store = KeyStore.getInstance(STORE);
      store.load(null, null);
      X509Certificate[] chain = Pem.certificates(Tls.AUTHORITIES, certificate);
      store.setKeyEntry(ALIAS, Pem.key(key, chain[0]), password.toCharArray(), chain);
      try (OutputStream to = Files.newOutputStream(file())) {
        store.store(to, password.toCharArray());
      }
    }

    void generate(String alias, String subject, List<String> extensions) throws IOException {
      List<String> command =
          new ArrayList<>(
              List.of(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair",
                  "-alias",
                  alias,
                  "-dname",
                  subject,
                  "-keyalg",
                  "EC",
                  "-groupname",
                  "secp256r1",
                  // For machines whose clock is behind.
                  "-startdate",
                  "-1d",
                  "-validity",
                  Integer.toString(DAYS),
                  "-keystore",
                  file().toString(),
                  "-storetype",
                  STORE,
                  // Not as an argument, which every user of the machine could read.
                  "-storepass:env",
                  "QUORATE_STORE"));
      if (isSigned) {
        command.addAll(List.of("-signer", ALIAS));
      }
      for (String extension : extensions) {
        command.addAll(List.of("-ext", extension));
      }
      run(command);
    }

    private void run(List<String> command) throws IOException {
      Path output = directory.resolve("output");
      // Read when it has ended: waiting for its end in a pipe would have no bound.
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
      builder.environment().put("QUORATE_STORE", password);
      Process process = builder.start();
      process.getOutputStream().close();
      try {
        if (!process.waitFor(KEYTOOL_SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
          throw new IOException(
              "keytool has made no certificate: " + Files.readString(output).strip());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("Interrupted while keytool made a certificate.", e);
      } finally {
        process.destroyForcibly();
      }
    }

    private KeyStore load() throws IOException, GeneralSecurityException {
      KeyStore store = KeyStore.getInstance(STORE);
      try (InputStream from = Files.newInputStream(file())) {
        store.load(from, password.toCharArray());
      }
      return store;
    }

    Key key(String alias) throws IOException, GeneralSecurityException {
      return load().getKey(alias, password.toCharArray());
    }

    List<X509Certificate> chain(String alias) throws IOException, GeneralSecurityException {
      return Arrays.stream(load().getCertificateChain(alias))
          .map(X509Certificate.class::cast)
          .toList();
    }
  }

  private static void writeKey(Path file, Key key) throws IOException {
    Files.deleteIfExists(file);
    if (Files.getFileStore(file.getParent()).supportsFileAttributeView("posix")) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }
    Files.writeString(file, Pem.of(key));
  }
}
