package io.quorate.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepeatedNodeKeysTest {
  private static final String NODE =
      "{ id = n1, host = h1, client-port = 1, consensus-port = 2, admin-port = 3 }";
  private static final String ONE_NODE =
      """
      quorate {
        cluster { id = c1, nodes = [ %s ] }
        node { id = n1, data = "/data" }
      }
      """
          .formatted(NODE);

  private final ServerConfigParser parser = new ServerConfigParser(Set.of("raft"));

  @TempDir private Path directory;

  /** HOCON would read a cluster of one node. */
  @Test
  void nodesBesideEachOtherAreNotReadAsOne() throws IOException {
    String second = NODE.replace("n1", "n2").replace("h1", "h2");
    Path file = directory.resolve("quorate.conf");
    String whole = ONE_NODE.replace(NODE, NODE + " " + second);
    Files.writeString(file, "# A comment with { and \"\n" + whole);

    assertThatThrownBy(() -> parser.parseFile(file, Map.of()))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "An element of nodes has key id twice (%s, line 3): two nodes beside each other are read"
                    .formatted(file)
                + " as one; write a comma or a line break between them.");
    assertThatThrownBy(() -> parser.parseText(whole))
        .hasMessageContaining("has key id twice (line 2)");
    Files.writeString(file, ONE_NODE);
    Map<String, String> override = Map.of("cluster.nodes", "[" + NODE + second + "]");
    assertThatThrownBy(() -> parser.parseFile(file, override))
        .hasMessageContaining("has key id twice (--set cluster.nodes)");
    for (String separator : List.of(",", "\n", " # a node\n")) {
      assertThat(parser.parseText(whole.replace("} {", "}" + separator + "{")).cluster().nodes())
          .hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nodes = [ { id = a } { id = b } ]",
        "nodes = [ { id = a }{ id : b } ]",
        "nodes : [ { id = a, host = x, id = b } ]",
        "q { c.nodes = [ ${d} { id = a } { id = b } ] }",
        "q.c { nodes += { id = a }, nodes = [ { x { id = 1 } }\t{ y = 1, x = 2 } ] }",
        "q { \"c\" { \"nodes\" = [ { id = a, }\n{ id = \"}\", host = b } { \"host\" = c } ] } }",
        "q { x = \"\"\"nodes = [\"\"\", nodes = [ { id = 1 } /* */ { id = 2 } ] }",
      })
  void aRepeatedKeyOfANodeIsFound(String hocon) {
    assertThat(RepeatedNodeKeys.in(hocon)).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "{ nodes = [] }",
        "nodes = [ { id = a, host = b, host = ${?HOST} } ]",
        "nodes = [ ${d} { id = a }, ${d} { id = b }\n{ id = c } // { id = d }\n ]",
        "nodes = [ { id = a, labels = [ \"id=1\", \"id=2\" ] } ] , nodes = [ { id = a } ]",
        "others = [ { id = a } { id = b } ], id = 1, id = 2",
        "nodes = \"[ { id = a } { id = b } ]\", x = [[[{}]]] , y = http://nodes",
        "nodes = [ { id = a, x { id = b } } { y { id = c } } ]",
        "include \"a = { nodes\"\nnodes = [ { id = a } ",
        "nodes = [ { id = a ] } , ] } { = : [",
      })
  void whatIsNotRepeatedIsNotFound(String hocon) {
    assertThat(RepeatedNodeKeys.in(hocon)).isEmpty();
  }
}
