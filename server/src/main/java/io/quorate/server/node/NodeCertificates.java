package io.quorate.server.node;

import io.quorate.common.FileErrors;
import io.quorate.common.LogLimit;
import io.quorate.model.NodeId;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.Tls;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The certificates with which a node presents itself, and their renewal while it runs. */
final class NodeCertificates {
  private static final Logger LOG = LoggerFactory.getLogger(NodeCertificates.class);
  private static final LogLimit UNUSABLE = LogLimit.oneAMinute();

  /** How often the files are read. */
  static final Duration INTERVAL = Duration.ofSeconds(10);

  private NodeCertificates() {}

  /**
   * The certificates of the configuration; empty if it has none. Blocks.
   *
   * @throws StartupException if they cannot be used, or are those of another node, or if there are
   *     none although others than programs on this machine may reach the node
   */
  static Optional<Tls> load(ServerConfig config) {
    if (config.security().certificates().isEmpty() && !config.security().isOff()) {
      requireLoopback("node.bind", config.node().bind());
      requireLoopback("admin.bind", config.admin().bind());
    }
    return config.security().certificates().map(directory -> load(directory, config.node().id()));
  }

  private static void requireLoopback(String key, String bind) {
    boolean isLoopback;
    try {
      isLoopback =
          Stream.of(InetAddress.getAllByName(bind)).allMatch(InetAddress::isLoopbackAddress);
    } catch (UnknownHostException e) {
      // Binding the port fails next and reports the reason.
      isLoopback = true;
    }
    if (!isLoopback) {
      throw new StartupException(
          String.format(
              Locale.ROOT,
              "Key quorate.%s is \"%s\", where others than programs on this machine reach the node,"
                  + " and without certificates whoever does may read and write everything: set"
                  + " quorate.security.certificates (\"quorate certs\" makes some), or"
                  + " quorate.security = off if that is meant.",
              key,
              bind));
    }
  }

  private static Tls load(Path directory, NodeId self) {
    try {
      Tls tls = Tls.load(directory);
      if (!tls.name().equals(new CertificateName(CertificateName.Kind.NODE, self.value()))) {
        throw new StartupException(
            String.format(
                Locale.ROOT,
                "Key quorate.security.certificates names certificates of node %s; those in %s are of %s.",
                self,
                directory,
                tls.name()));
      }
      LOG.atInfo()
          .addKeyValue("tls", tls.provider())
          .addKeyValue("expires", tls.expires())
          .log("Connections are encrypted");
      if (secondsLeft(tls) < 0) {
        // It uses renewed ones once they are there, so it need not be started again.
        LOG.atWarn()
            .addKeyValue("expires", tls.expires())
            .log(
                "The certificate of this node has expired: nobody connects to it until it is renewed");
      }
      return tls;
    } catch (IOException e) {
      throw new StartupException(
          "Key quorate.security.certificates: " + FileErrors.endOfSentence(e), e);
    }
  }

  /** Uses changed files for connections that are opened later. Blocks. */
  static void renew(Tls tls) {
    try {
      if (tls.reload()) {
        LOG.atInfo().addKeyValue("expires", tls.expires()).log("The certificates were renewed");
      }
    } catch (IOException e) {
      UNUSABLE.log(
          leftOut ->
              LOG.warn(
                  "Renewed certificates cannot be used, and the former ones stay: {}{}",
                  FileErrors.endOfSentence(e),
                  LogLimit.text(leftOut)));
    }
  }

  /** Until the certificate expires, in seconds; negative after that. */
  static double secondsLeft(Tls tls) {
    return Duration.between(Instant.now(), tls.expires()).toSeconds();
  }
}
