package io.quorate.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigValue;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.SettingException;
import io.quorate.server.node.Engines;
import io.quorate.server.testing.Presets;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The reference file and the documentation have exactly the keys that the parser reads. */
class ConfigurationReferenceTest {
  private static final Pattern TABLE_ROW = Pattern.compile("^\\| `(quorate\\.[^`]+)` \\|");

  /** The engines that exist only in tests. */
  private static final Set<String> OF_TESTS = Set.of("memory", "example");

  private static final String MINIMAL =
      """
      quorate {
        cluster {
          id = "example"
          nodes = [ { id = n1, host = "127.0.0.1", client-port = 7001, consensus-port = 7101, admin-port = 7201 } ]
        }
        node { id = n1, data = "/var/lib/quorate" }
      }
      """;

  private final ServerConfigParser parser = new ServerConfigParser(Engines.available().keySet());
  private final Set<String> known = new TreeSet<>();

  /** The reference file as shipped, with the defaults commented out. */
  private String file;

  /** The reference file with the defaults in effect. */
  private String reference;

  @BeforeEach
  void collectKnownKeys() throws IOException {
    try (InputStream in = getClass().getResourceAsStream("/quorate-reference.conf")) {
      file = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    reference = file.replaceAll("(?m)^( +)#(?=[a-z])", "$1");
    parser.parseText(reference);
    known.addAll(parser.documented());
    for (ConsensusEngineProvider engine : Engines.available().values()) {
      if (!OF_TESTS.contains(engine.name())) {
        known.addAll(keys(engine));
      }
    }
  }

  /** An engine lists the keys of its section only in the message that rejects another key. */
  private static Set<String> keys(ConsensusEngineProvider engine) {
    EngineSettings wrong = new EngineSettings(engine.name(), Map.of("no-such-key", "1"));
    try {
      engine.capabilities(wrong);
    } catch (SettingException e) {
      Matcher list = Pattern.compile("\\[(.*)]").matcher(e.getMessage());
      assertThat(list.find()).as(e.getMessage()).isTrue();
      return Arrays.stream(list.group(1).split(", "))
          .map(key -> "quorate." + engine.name() + "." + key)
          .collect(Collectors.toSet());
    }
    throw new AssertionError("The engine accepted an unknown key");
  }

  @Test
  void theReferenceFileHasEveryKey() {
    Set<String> keys = new TreeSet<>();
    Config config = ConfigFactory.parseString(reference).resolve();
    collect("quorate", config.getObject("quorate"), keys);

    assertThat(keys).isEqualTo(known);
  }

  @Test
  void theDocumentationHasEveryKey() throws IOException {
    Set<String> keys =
        Files.readAllLines(Path.of("..", "docs", "configuration.md")).stream()
            .map(TABLE_ROW::matcher)
            .filter(Matcher::find)
            .map(row -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(keys).isEqualTo(known);
  }

  @Test
  void theDocumentationHasTheDefaultsOfTheReferenceFile() throws IOException {
    Config config = ConfigFactory.parseString(reference);
    Pattern row = Pattern.compile("^\\| `(quorate\\.[a-z.-]+)` \\| `([^`]*)` \\|");
    int rows = 0;
    for (String line : Files.readAllLines(Path.of("..", "docs", "configuration.md"))) {
      Matcher matcher = row.matcher(line);
      if (matcher.find()) {
        String shown = matcher.group(2);
        String written = config.getValue(matcher.group(1)).unwrapped().toString();
        assertThat(shown.replace("\"", "")).as(line).isEqualTo(written);
        rows++;
      }
    }
    assertThat(rows).isGreaterThan(50);
  }

  @Test
  void theReferenceFileHasTheDefaults() {
    ServerConfig written = parser.parseText(reference);
    ServerConfig implied = parser.parseText(MINIMAL);

    assertThat(written)
        .usingRecursiveComparison()
        .ignoringFields("engine", "preset")
        .isEqualTo(implied);
    assertThat(written.presetName()).isEqualTo(implied.presetName());
  }

  /** An operator who changes one line of the file changes that setting alone. */
  @Test
  void theReferenceFileSetsNothingThatHasADefault() {
    assertThat(parser.parseText(file))
        .usingRecursiveComparison()
        .isEqualTo(parser.parseText(MINIMAL));
    for (Preset preset : Presets.installed()) {
      ServerConfig config =
          parser.parseText(file.replace("  #preset = raft", "  preset = " + preset.name()));

      assertThat(config.mode()).isEqualTo(preset.mode());
      assertThat(config.overridesOfPreset()).isEmpty();
    }
  }

  @Test
  void everyPresetsEngineAcceptsItsSectionOfTheReferenceFile() {
    String unset = reference.replaceAll("(?m)^  (preset|engine|reads) = .*$", "");
    for (Preset preset : Presets.installed()) {
      ServerConfig config = parser.parseText(unset + "quorate.preset = " + preset.name());
      ConsensusEngineProvider engine = Engines.available().get(preset.mode().engine());

      assertThat(engine.capabilities(config.engine()))
          .as(preset.name())
          .isEqualTo(engine.capabilities(EngineSettings.defaults(engine.name())));
      EngineValidator.require(config, engine.capabilities(config.engine()));
    }
  }

  @Test
  void leaseReadsRequireTheLeaseOfTheEngine() {
    ConsensusEngineProvider raft = Engines.available().get("raft");
    ServerConfig without = parser.parseText(MINIMAL + "quorate.reads = lease");
    ServerConfig with =
        parser.parseText(MINIMAL + "quorate.reads = lease\nquorate.raft.lease = on");

    EngineValidator.require(with, raft.capabilities(with.engine()));
    assertThatThrownBy(() -> EngineValidator.require(without, raft.capabilities(without.engine())))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("reads = lease");
  }

  private static void collect(String path, ConfigValue value, Set<String> keys) {
    if (value instanceof ConfigObject object) {
      object.forEach((name, child) -> collect(path + "." + name, child, keys));
    } else if (value instanceof ConfigList list
        && !list.isEmpty()
        && list.get(0) instanceof ConfigObject) {
      list.forEach(element -> collect(path + "[]", element, keys));
    } else {
      keys.add(path);
    }
  }
}
