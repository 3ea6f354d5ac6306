package io.quorate.server.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import com.typesafe.config.ConfigValueFactory;
import io.quorate.common.HostPort;
import io.quorate.consensus.EngineSettings;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.Limits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;

/**
 * Parses the configuration strictly: an unknown key, a missing key, an invalid unit or a value out
 * of range is a {@link ConfigException}.
 */
public final class ServerConfigParser {
  /** The section that contains all keys. */
  public static final String ROOT = "quorate";

  private static final String EQUAL_LOAD = "equal-load";

  private static final int MIB = 1 << 20;
  private static final int FRAME_OVERHEAD_BYTES = 64;
  private static final int ROW_OVERHEAD_BYTES = 8;

  private final Set<String> engines;
  private final Set<String> documented = new TreeSet<>();

  /**
   * @param engines the names of the available engines; each may have a section of its own
   */
  public ServerConfigParser(Set<String> engines) {
    this.engines = new TreeSet<>(engines);
  }

  /** The full name of every key read so far; {@code []} stands for any element. */
  public Set<String> documented() {
    return new TreeSet<>(documented);
  }

  /**
   * Parses a file, with overrides. Blocks.
   *
   * @param overrides values by key; a key may be given without the leading {@code quorate.}
   * @throws ConfigException if the file cannot be read or used
   */
  public ServerConfig parseFile(Path file, Map<String, String> overrides) {
    if (!Files.isReadable(file)) {
      throw new ConfigException("Configuration file " + file + " cannot be read.");
    }
    try {
      ConfigParseOptions strict = ConfigParseOptions.defaults().setAllowMissing(false);
      Config config = ConfigFactory.parseFile(file.toFile(), strict.setSyntax(ConfigSyntax.CONF));
      requireEachKeyOnce(
          new String(Files.readAllBytes(file), StandardCharsets.UTF_8),
          line -> " (" + file + ", line " + line + ")");
      return parse(withOverrides(config, overrides).resolve());
    } catch (IOException e) {
      throw new ConfigException("Configuration file " + file + " cannot be read.", e);
    } catch (com.typesafe.config.ConfigException e) {
      throw new ConfigException(
          "Configuration file " + file + " cannot be parsed: " + e.getMessage() + ".", e);
    }
  }

  /**
   * Parses a configuration that is given as text.
   *
   * @throws ConfigException if it cannot be used
   */
  public ServerConfig parseText(String text) {
    try {
      Config config = ConfigFactory.parseString(text);
      requireEachKeyOnce(text, line -> " (line " + line + ")");
      return parse(config.resolve());
    } catch (com.typesafe.config.ConfigException e) {
      throw new ConfigException("The configuration cannot be parsed: " + e.getMessage() + ".", e);
    }
  }

  /**
   * @param place where a line of the text is, for the message
   * @throws ConfigException if an element of a list of nodes has a key twice
   */
  private static void requireEachKeyOnce(String text, IntFunction<String> place) {
    RepeatedNodeKeys.in(text)
        .ifPresent(
            repeated -> {
              throw new ConfigException(
                  String.format(
                      Locale.ROOT,
                      "An element of nodes has key %s twice%s: two nodes beside each other are read as"
                          + " one; write a comma or a line break between them.",
                      repeated.key(),
                      place.apply(repeated.line())));
            });
  }

  private static Config withOverrides(Config config, Map<String, String> overrides) {
    Config result = config;
    for (Map.Entry<String, String> override : overrides.entrySet()) {
      String key = override.getKey();
      String path = key.startsWith(ROOT + ".") ? key : ROOT + "." + key;
      String text = override.getValue();
      requireEachKeyOnce(path + " = " + text, line -> " (--set " + key + ")");
      result =
          text.startsWith("[") || text.startsWith("{")
              ? ConfigFactory.parseString(path + " = " + text).withFallback(result)
              : result.withValue(path, ConfigValueFactory.fromAnyRef(text, "--set " + key));
    }
    return result;
  }

  private ServerConfig parse(Config config) {
    Section file = new Section("", config.root(), new HashSet<>());
    if (!file.names().contains(ROOT)) {
      throw new ConfigException("The configuration has no section " + ROOT + ".");
    }
    file.section(ROOT);
    file.requireAllRead();
    Section root = new Section(ROOT, config.getObject(ROOT), documented);

    Optional<Preset> preset = root.optionalText("preset").map(name -> preset(root, name));
    ClusterMode mode = mode(root, preset.orElse(Preset.DEFAULT));
    preset.ifPresent(named -> requireEngineOf(named, mode, root));
    OptionalDouble leaderReads = leaderReads(root);
    ClusterConfig cluster = ClusterParser.cluster(root.section("cluster"));
    NodeConfig node = node(root.section("node"), cluster);
    LimitsConfig limits = limits(root.section("limits"), mode);
    RpcConfig rpc = rpc(root.section("rpc"), limits);
    StorageConfig storage = storage(root.section("storage"));
    EngineSettings engine = engine(root, mode.engine(), preset.orElse(Preset.DEFAULT));
    PlacementConfig placement = placement(root.section("placement"));
    AdminConfig admin = admin(root.section("admin"));
    SecurityConfig security = security(root);
    ShutdownConfig shutdown = shutdown(root.section("shutdown"));
    root.requireAllRead();
    return new ServerConfig(
        cluster,
        node,
        preset,
        mode,
        leaderReads,
        limits,
        rpc,
        storage,
        engine,
        placement,
        admin,
        security,
        shutdown);
  }

  private static Preset preset(Section root, String name) {
    return Preset.named(name)
        .orElseThrow(
            () ->
                new ConfigException(
                    "Key "
                        + root.path()
                        + ".preset must be one of "
                        + Preset.names()
                        + "; it was \""
                        + name
                        + "\"."));
  }

  /** Rejects a preset with another engine, since its name implies guarantees of its own engine. */
  private static void requireEngineOf(Preset preset, ClusterMode mode, Section root) {
    if (!preset.mode().engine().equals(mode.engine())) {
      throw new ConfigException(
          String.format(
              Locale.ROOT,
              "Key %s.engine must be \"%s\" with preset %s, or be left out; it was \"%s\".",
              root.path(),
              preset.mode().engine(),
              preset.name(),
              mode.engine()));
    }
  }

  private static ClusterMode mode(Section root, Preset preset) {
    ClusterMode mode = preset.mode();
    return new ClusterMode(
        root.optionalText("engine").orElse(mode.engine()),
        root.oneOf("replication", ClusterMode.Replication.class, mode.replication()),
        root.oneOf("reply", ClusterMode.Reply.class, mode.reply()),
        root.oneOf(
            "read-acceleration", ClusterMode.ReadAcceleration.class, mode.readAcceleration()),
        root.oneOf("reads", ClusterMode.Reads.class, mode.reads()));
  }

  private static OptionalDouble leaderReads(Section root) {
    String name = "leader-reads-percent";
    if (root.optionalText(name).orElse(EQUAL_LOAD).equals(EQUAL_LOAD)) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(root.integer(name, 0, 0, 100) / 100.0);
  }

  private static NodeConfig node(Section section, ClusterConfig cluster) {
    NodeId id = section.text("id", NodeId::new);
    if (cluster.nodes().stream().noneMatch(node -> node.id().equals(id))) {
      throw new ConfigException(
          "Key " + section.path() + ".id is one of the nodes in cluster.nodes; it was " + id + ".");
    }
    Path data = directory(section, "data", section.text("data"));
    Optional<Path> log =
        section
            .optionalText("log")
            .filter(text -> !text.isBlank())
            .map(text -> directory(section, "log", text));
    String bind = bind(section, ClusterParser.EVERY_ADDRESS);
    section.requireAllRead();
    if (log.isPresent() && (log.get().startsWith(data) || data.startsWith(log.get()))) {
      throw new ConfigException(
          String.format(
              Locale.ROOT,
              "Keys %1$s.data and %1$s.log name directories of which neither is in the other; they were %2$s and %3$s.",
              section.path(),
              data,
              log.get()));
    }
    return new NodeConfig(id, data, log, bind);
  }

  private static SecurityConfig security(Section root) {
    if (root.isText("security", "off")) {
      return SecurityConfig.OFF;
    }
    Section section = root.section("security");
    Optional<Path> certificates =
        section
            .optionalText("certificates")
            .filter(text -> !text.isBlank())
            .map(text -> directory(section, "certificates", text));
    section.requireAllRead();
    return new SecurityConfig(certificates, false);
  }

  private static String bind(Section section, String defaultAddress) {
    return section.names().contains("bind")
        ? section.text("bind", HostPort::requireHost)
        : section.optionalText("bind").orElse(defaultAddress);
  }

  private static Path directory(Section section, String key, String text) {
    if (text.isBlank()) {
      throw new ConfigException(
          "Key " + section.path() + "." + key + " must name a directory; it was empty.");
    }
    try {
      return Path.of(text).toAbsolutePath().normalize();
    } catch (InvalidPathException e) {
      throw new ConfigException(
          "Key " + section.path() + "." + key + " is a directory; it was \"" + text + "\".", e);
    }
  }

  private static LimitsConfig limits(Section section, ClusterMode mode) {
    Limits defaults = Limits.DEFAULT;
    int key = section.bytes("key", defaults.keyBytes(), 16, Limits.KEY_BYTES_MAX);
    int value = section.bytes("value", defaults.valueBytes(), 1024, Limits.VALUE_BYTES_MAX);
    // A batch is in the log in full, also where a single large value is not.
    int batchDefault =
        mode.replication() == ClusterMode.Replication.CODED
            ? defaults.batchBytes()
            : Math.max(defaults.batchBytes(), value);
    int batch = section.bytes("batch", batchDefault, 1024, Limits.VALUE_BYTES_MAX + MIB);
    Limits limits =
        new Limits(
            key,
            value,
            section.integer(
                "batch-operations", defaults.batchOperations(), 1, Limits.BATCH_OPERATIONS_MAX),
            batch);
    int scanRows = section.integer("scan-rows", 10_000, 1, 1_000_000);
    int scanBytes = section.bytes("scan", 4 * MIB, 1024, Limits.VALUE_BYTES_MAX);
    int needed = frameBytesNeeded(limits, scanRows, scanBytes);
    int frame = section.bytes("frame", Math.max(16 * MIB, needed), 64 << 10, 512 * MIB);
    section.requireAllRead();
    if (frame < needed) {
      throw new ConfigException(
          "Key "
              + section.path()
              + ".frame is at least "
              + needed
              + "B, so that what the other limits allow fits into a frame; it was "
              + frame
              + "B.");
    }
    return new LimitsConfig(limits, frame, scanRows, scanBytes);
  }

  /** The size of the longest frame that the other limits allow: a write, or a page of a scan. */
  private static int frameBytesNeeded(Limits limits, int scanRows, int scanBytes) {
    int lastRow = limits.valueBytes() + 2 * limits.keyBytes();
    int page = scanBytes + scanRows * ROW_OVERHEAD_BYTES + lastRow;
    return Math.max(limits.operationBytesMax(), page) + FRAME_OVERHEAD_BYTES;
  }

  private static RpcConfig rpc(Section section, LimitsConfig limits) {
    Duration max = Duration.ofMinutes(10);
    Duration min = Duration.ofMillis(100);
    RpcConfig rpc =
        new RpcConfig(
            section.integer("threads", 4, 1, 256),
            section.integer("read-threads", 4, 1, 256),
            section.integer("connections", 10_000, 1, 1_000_000),
            new RpcConfig.Timeouts(
                section.duration("handshake-timeout", Duration.ofSeconds(5), min, max),
                section.duration("frame-timeout", Duration.ofSeconds(10), min, max),
                section.duration("stall-timeout", Duration.ofSeconds(30), min, max),
                section.duration("request-timeout", Duration.ofSeconds(60), min, max)),
            inFlight(section, "connection", 4096, Math.max(64L * MIB, limits.frameBytes())),
            inFlight(
                section,
                "node",
                65_536,
                RpcConfig.nodeBytes(Runtime.getRuntime().maxMemory(), limits.frameBytes())),
            section.bytes("outbound", MIB, 16 << 10, 256 * MIB),
            section.duration("retry-after", Duration.ofMillis(20), Duration.ofMillis(1), max));
    section.requireAllRead();
    requireFrameFits(section, "connection-bytes", rpc.perConnection(), limits);
    requireFrameFits(section, "node-bytes", rpc.perNode(), limits);
    return rpc;
  }

  private static RpcConfig.InFlight inFlight(
      Section section, String scope, int requests, long bytes) {
    return new RpcConfig.InFlight(
        section.integer(scope + "-requests", requests, 1, 10_000_000),
        section.bytes(scope + "-bytes", bytes, 64L << 10, 64L << 30));
  }

  private static void requireFrameFits(
      Section section, String name, RpcConfig.InFlight bound, LimitsConfig limits) {
    if (bound.bytes() < limits.frameBytes()) {
      throw new ConfigException(
          "Key "
              + section.path()
              + "."
              + name
              + " is at least limits.frame, which is "
              + limits.frameBytes()
              + "B; it was "
              + bound.bytes()
              + "B.");
    }
  }

  private static StorageConfig storage(Section section) {
    StorageConfig storage =
        new StorageConfig(
            new StorageConfig.Files(
                section.oneOf("wal", StorageConfig.Wal.class, StorageConfig.Wal.OFF),
                section.bytes("write-buffer", 32L * MIB, MIB, 16L << 30),
                section.bytes("block-cache", 64L * MIB, MIB, 1024L << 30),
                section.bytes("blob-size-min", 1L << 10, 0, 1L << 30),
                section.integer("open-files", 512, 16, 1_000_000),
                section.duration(
                    "flush-interval",
                    Duration.ofSeconds(10),
                    Duration.ofMillis(100),
                    Duration.ofHours(1))),
            new StorageConfig.Apply(
                section.integer("apply-threads", 2, 1, 64),
                section.integer("apply-queue-batches", 1024, 1, 1_000_000),
                section.bytes("apply-queue-bytes", 32L * MIB, 64L << 10, 16L << 30)),
            new StorageConfig.Overlay(
                section.integer("overlay-changes", 1 << 16, 1, 10_000_000),
                section.bytes("overlay-bytes", 32L * MIB, 64L << 10, 16L << 30),
                section.oneOf("scan", StorageConfig.Scan.class, StorageConfig.Scan.MERGE)),
            bodies(section),
            new StorageConfig.Checks(
                section.duration(
                    "digest-interval",
                    Duration.ofHours(24),
                    Duration.ofSeconds(1),
                    Duration.ofDays(365)),
                section.duration(
                    "scrub-interval",
                    Duration.ofHours(24),
                    Duration.ofMillis(100),
                    Duration.ofDays(365))),
            section.bytes("free-space-min", 256L * MIB, 0, 1024L << 30),
            section.duration(
                "session-expiry",
                Duration.ofHours(1),
                Duration.ofMinutes(10),
                Duration.ofDays(30)));
    section.requireAllRead();
    return storage;
  }

  private static StorageConfig.Bodies bodies(Section section) {
    Duration min = Duration.ofMillis(100);
    return new StorageConfig.Bodies(
        section.duration("body-sweep-interval", Duration.ofSeconds(30), min, Duration.ofHours(1)),
        section.duration("body-repair-interval", Duration.ofMinutes(1), min, Duration.ofHours(1)),
        section.duration("body-scrub-interval", Duration.ofHours(24), min, Duration.ofDays(365)),
        section.bytes("body-repair-rate", 32L * MIB, 64L << 10, 64L << 30));
  }

  private EngineSettings engine(Section root, String chosen, Preset preset) {
    if (!engines.contains(chosen)) {
      throw new ConfigException(
          "Key " + root.path() + ".engine is one of " + engines + "; it was \"" + chosen + "\".");
    }
    for (String engine : engines) {
      root.section(engine);
    }
    return root.section(chosen).settings(chosen, preset.engineSettings());
  }

  private static PlacementConfig placement(Section section) {
    PlacementConfig placement =
        new PlacementConfig(
            section.oneOf("policy", PlacementConfig.Policy.class, PlacementConfig.Policy.ED),
            section.integer("changes-max", 4, 1, 100),
            section.integer("transfers-max", 16, 1, 1000),
            section.duration(
                "withdraw-after", Duration.ofMinutes(1), Duration.ofSeconds(1), Duration.ofDays(1)),
            splits(section),
            device(section));
    section.requireAllRead();
    return placement;
  }

  private static PlacementConfig.DeviceConfig device(Section section) {
    return new PlacementConfig.DeviceConfig(
        positive(section.bytes("capacity", 0, 0, 1L << 50)),
        positive(section.bytes("device-speed", 0, 0, 1L << 40)),
        section.duration("probe-time", Duration.ofSeconds(1), Duration.ZERO, Duration.ofMinutes(1)),
        section.optionalText("calibration").filter(path -> !path.isEmpty()).map(Path::of),
        section.duration(
            "slow-sync", Duration.ofMillis(100), Duration.ofMillis(1), Duration.ofMinutes(1)),
        section.duration(
            "slow-recovery", Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofDays(1)));
  }

  private static Optional<Long> positive(long value) {
    return value == 0 ? Optional.empty() : Optional.of(value);
  }

  private static PlacementConfig.SplitRule splits(Section section) {
    return new PlacementConfig.SplitRule(
        section.bytes("split-size", 1L << 30, 0, 1L << 40),
        section.integer("split-rate", 0, 0, 10_000_000),
        section.optionalText("split-prefix-end").map(Key::utf8).orElse(Key.EMPTY));
  }

  private static AdminConfig admin(Section section) {
    AdminConfig admin = new AdminConfig(bind(section, "127.0.0.1"));
    section.requireAllRead();
    return admin;
  }

  private static ShutdownConfig shutdown(Section section) {
    Duration max = Duration.ofMinutes(10);
    ShutdownConfig shutdown =
        new ShutdownConfig(
            section.duration(
                "transfer-timeout", Duration.ofSeconds(5), Duration.ofMillis(100), max),
            section.duration("drain-timeout", Duration.ofSeconds(10), Duration.ofMillis(100), max));
    section.requireAllRead();
    return shutdown;
  }
}
