package io.quorate.torture.fuzz;

import static io.quorate.torture.fuzz.FuzzTargets.reads;
import static io.quorate.torture.fuzz.FuzzTargets.target;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.quorate.client.Durations;
import io.quorate.common.Checksums;
import io.quorate.common.HostPort;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.Tls;
import io.quorate.server.config.ConfigException;
import io.quorate.server.config.ServerConfigParser;
import io.quorate.torture.history.MalformedHistoryException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Small files of a node, which are lines of text, and what people and browsers write. */
final class TextTargets {
  private static final int BODY_BYTES_MAX = 1024;

  private TextTargets() {}

  static List<Target> all() {
    return List.of(
        knownPeers(),
        startRecord(),
        dataIdentity(),
        history(),
        storeState(),
        replicaRecords(),
        operation(),
        reads(
            "configuration",
            input -> new ServerConfigParser(Set.of("raft")).parseText(text(input)),
            ConfigException.class),
        reads("host-port", input -> HostPort.parse(text(input)), IllegalArgumentException.class),
        reads("duration", input -> Durations.parse(text(input)), IllegalArgumentException.class),
        reads("admin-request", adminRequest(), IllegalArgumentException.class),
        reads("authorization", authorization()),
        reads("certificates", certificates(), GeneralSecurityException.class),
        reads("private-key", privateKey(), GeneralSecurityException.class));
  }

  private static Target knownPeers() {
    String type = "replication.transport.handshake.KnownPeers";
    Hidden decoder = Hidden.of(type, "decode", byte[].class, String.class);
    Hidden encoder = Hidden.of(type, "encoded", String.class);
    return target(
        "known-peers",
        input -> decoder.call(null, bytes(checked(text(input), "crc32c ")), "peers"),
        value -> withoutLastLine((byte[]) encoder.call(value, "peers")),
        IllegalArgumentException.class);
  }

  private static Target startRecord() {
    Hidden decoder = Hidden.of("server.node.directory.StartRecord", "decode", byte[].class);
    Hidden encoder = Hidden.of("server.node.directory.StartRecord", "encoded");
    return target(
        "start-record",
        input -> decoder.call(null, (Object) bytes(checked(text(input), "crc32c "))),
        value -> withoutLastLine((byte[]) encoder.call(value)),
        IOException.class);
  }

  private static Target dataIdentity() {
    Hidden decoder = Hidden.of("server.node.directory.DataIdentity", "parse", String.class);
    return reads("data-identity", input -> decoder.call(null, text(input)), IOException.class);
  }

  private static Target history() {
    Hidden decoder = Hidden.of("server.node.HistoryFile", "parse", List.class);
    return reads(
        "session-expiry",
        input -> decoder.call(null, text(input).lines().toList()),
        IllegalArgumentException.class,
        IndexOutOfBoundsException.class);
  }

  private static Target storeState() {
    Hidden decoder = Hidden.of("storage.body.StoreState", "read", Path.class);
    Path directory = scratch();
    return reads(
        "store-state",
        input -> {
          Files.write(
              directory.resolve("segments.state"), bytes(checked(text(input), "checksum ")));
          return decoder.call(null, directory);
        },
        IOException.class);
  }

  private static Target replicaRecords() {
    Hidden decoder = Hidden.of("server.node.directory.ReplicaRecords", "open", Path.class);
    Hidden checksum = Hidden.of("server.node.directory.ReplicaRecords", "checksum", String.class);
    Path directory = scratch();
    return reads(
        "replica-records",
        input -> {
          String lines = text(input);
          Files.write(
              directory.resolve("records"),
              bytes("replicas 2 " + checksum.call(null, lines) + "\n" + lines));
          return decoder.call(null, directory);
        },
        IOException.class);
  }

  /** A line of a history of torture. */
  private static Target operation() {
    String type = "torture.history.OperationCodec";
    Hidden decoder = Hidden.of(type, "decode", String.class);
    Hidden encoder = Hidden.of(type, "encode", Hidden.type("io.quorate.torture.history.Operation"));
    return target(
        "history",
        input -> decoder.call(null, new String(input, StandardCharsets.UTF_8)),
        value -> ((String) encoder.call(null, value)).getBytes(StandardCharsets.UTF_8),
        MalformedHistoryException.class);
  }

  private static Target.Decoder adminRequest() {
    Hidden decoder = Hidden.of("server.admin.AdminRequest", "of", HttpRequest.class);
    return input -> {
      EmbeddedChannel channel =
          new EmbeddedChannel(new HttpRequestDecoder(), new HttpObjectAggregator(BODY_BYTES_MAX));
      try {
        channel.writeInbound(Unpooled.copiedBuffer(input));
        FullHttpRequest request = channel.readInbound();
        return request == null ? Optional.empty() : read(decoder, request);
      } finally {
        close(channel);
      }
    };
  }

  private static void close(EmbeddedChannel channel) {
    try {
      channel.finishAndReleaseAll();
    } catch (PrematureChannelClosureException e) {
      // The input is the beginning of a request, as that of a connection that was lost.
    }
  }

  private static Object read(Hidden decoder, FullHttpRequest request) throws Throwable {
    try {
      return decoder.call(null, request);
    } finally {
      request.release();
    }
  }

  /** The header with a name and a secret; it is read before anything is known of the sender. */
  private static Target.Decoder authorization() {
    Hidden decoder = Hidden.of("server.admin.AdminIdentity", "login", String.class);
    return input -> decoder.call(null, text(input));
  }

  /** And the names in them. */
  private static Target.Decoder certificates() {
    Hidden decoder = Hidden.of("protocol.tls.Pem", "certificates", String.class, byte[].class);
    return input ->
        Stream.of((X509Certificate[]) decoder.call(null, Tls.CERTIFICATE, input))
            .map(CertificateName::of)
            .toList();
  }

  /** The key of the last one of the kept certificates. */
  private static Target.Decoder privateKey() {
    List<byte[]> kept = Corpus.of("certificates");
    Hidden certificates = Hidden.of("protocol.tls.Pem", "certificates", String.class, byte[].class);
    Hidden decoder = Hidden.of("protocol.tls.Pem", "key", byte[].class, X509Certificate.class);
    return input -> {
      byte[] last = kept.get(kept.size() - 1);
      X509Certificate owner =
          ((X509Certificate[]) certificates.call(null, Tls.CERTIFICATE, last))[0];
      return decoder.call(null, input, owner);
    };
  }

  private static Path scratch() {
    try {
      Path directory = Files.createTempDirectory("quorate-fuzz");
      directory.toFile().deleteOnExit();
      return directory;
    } catch (IOException e) {
      throw new IllegalStateException("There is no directory for temporary files", e);
    }
  }

  private static String checked(String text, String label) {
    return text + label + Checksums.of(text) + "\n";
  }

  private static byte[] withoutLastLine(byte[] encoded) {
    String text = text(encoded);
    return bytes(text.substring(0, text.lastIndexOf('\n', text.length() - 2) + 1));
  }

  /** Latin 1, so that every byte is a character. */
  private static String text(byte[] input) {
    return new String(input, StandardCharsets.ISO_8859_1);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }
}
