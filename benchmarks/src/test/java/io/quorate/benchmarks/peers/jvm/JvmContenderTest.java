package io.quorate.benchmarks.peers.jvm;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.peers.contender.SourceProject;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JvmContenderTest {
  private static final Path PARENT = Path.of("..", "pom.xml");

  @Test
  void theProjectsHaveANodeAndAClient() {
    for (JvmContender contender : List.of(JvmContender.rheaKv(), JvmContender.ratis())) {
      SourceProject project = contender.project("mvn");

      assertThat(project.name()).isEqualTo(contender.name());
      assertThat(project.files())
          .containsKeys("pom.xml", "src/main/resources/simplelogger.properties");
      assertThat(project.files().get("src/main/java/peer/Node.java"))
          .contains("public static void main");
      assertThat(project.files().get("src/main/java/peer/Client.java"))
          .contains("public Client(String addresses)", "BiFunction<byte[], byte[],");
    }
  }

  @Test
  void theProjectsOfClientsHaveTheVersionsOfTheirDescriptions() {
    for (JavaClient client : List.of(JavaClient.jetcd(), JavaClient.lettuce())) {
      SourceProject project = client.project().project("mvn");

      String version = client.description().split(" ")[1];
      assertThat(project.files().get("pom.xml")).contains("<version>" + version + "</version>");
      assertThat(project.files().get("src/main/java/peer/Client.java"))
          .contains("public Client(String address", "BiFunction<byte[], byte[],");
    }
  }

  @Test
  void theVersionsAreThoseOfTheDescription() throws IOException {
    String rheaKv = JvmContender.rheaKv().project("mvn").files().get("pom.xml");
    String ratis = JvmContender.ratis().project("mvn").files().get("pom.xml");

    assertThat(rheaKv).contains("<version>1.3.15.bugfix</version>");
    assertThat(JvmContender.rheaKv().description()).contains("1.3.15.bugfix");
    assertThat(ratis)
        .contains("<version>" + ours("ratis.version") + "</version>")
        .contains("<version>" + ours("rocksdb.version") + "</version>");
    assertThat(JvmContender.ratis().description()).contains("Ratis " + ours("ratis.version"));
  }

  private static String ours(String property) throws IOException {
    Matcher version =
        Pattern.compile("<" + property + ">([^<]+)<").matcher(Files.readString(PARENT));
    assertThat(version.find()).isTrue();
    return version.group(1);
  }

  @Test
  void aNodeRunsWithTheClassesOfItsProject() {
    List<String> command = JvmContender.ratis().command(2, "a:1,b:2,c:3");

    assertThat(command).endsWith("peer.Node", "2", "a:1,b:2,c:3");
    assertThat(command.get(command.indexOf("-cp") + 1))
        .contains("classes" + File.pathSeparator)
        .endsWith("*");
  }

  @Test
  void aClientSharesNoClassWithThisProgram(@TempDir Path project) throws Exception {
    Path source = Files.createDirectories(project.resolve("src")).resolve("Client.java");
    Files.writeString(
        source,
        """
        package peer;
        public final class Client
            implements java.util.function.BiFunction<byte[], byte[],
                java.util.concurrent.CompletionStage<byte[]>>, AutoCloseable {
          private byte[] stored;
          public Client(String addresses) {
            stored = addresses.getBytes();
          }
          @Override
          public java.util.concurrent.CompletionStage<byte[]> apply(byte[] key, byte[] value) {
            if (value != null) {
              stored = value;
            }
            try {
              Class.forName("io.quorate.benchmarks.Main");
              throw new IllegalStateException("a class of the program is visible");
            } catch (ClassNotFoundException e) {
              return java.util.concurrent.CompletableFuture.completedFuture(stored);
            }
          }
          @Override
          public void close() {
            System.clearProperty("peer.open");
          }
        }
        """);
    Path classes = Files.createDirectories(IsolatedConnection.classes(project));
    Files.createDirectories(IsolatedConnection.libraries(project));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertThat(compiler.run(null, null, null, "-d", classes.toString(), source.toString()))
        .isZero();

    System.setProperty("peer.open", "yes");
    try (IsolatedConnection connection =
        IsolatedConnection.open(IsolatedConnection.loader(project), "here:1")) {
      assertThat(connection.get(new byte[0]).toCompletableFuture().join())
          .hasValueSatisfying(
              value -> assertThat(value).isEqualTo("here:1".getBytes(StandardCharsets.US_ASCII)));
      connection.put(new byte[0], new byte[] {7}).toCompletableFuture().join();
      assertThat(connection.get(new byte[0]).toCompletableFuture().join())
          .hasValueSatisfying(value -> assertThat(value).containsExactly(7));
    }
    assertThat(System.getProperty("peer.open")).isNull();
  }
}
