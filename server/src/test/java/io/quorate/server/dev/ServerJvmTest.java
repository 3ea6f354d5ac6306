package io.quorate.server.dev;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.dev.ClusterPlan.Shape;
import io.quorate.server.dev.ServerJvm.Lifetime;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerJvmTest {
  private static final String UNSAFE = "--sun-misc-unsafe-memory-access=allow";

  @Test
  void flagsAreThoseOfTheFileWithoutItsComments() {
    List<String> flags = ServerJvm.flags(17);

    assertThat(flags).contains("-Xmx512m", "--enable-native-access=ALL-UNNAMED");
    assertThat(flags).allMatch(flag -> flag.startsWith("-"));
  }

  @Test
  void onlyJdksThatKnowTheUnsafeFlagGetIt() {
    assertThat(ServerJvm.flags(17)).doesNotContain(UNSAFE);
    assertThat(ServerJvm.flags(25)).contains(UNSAFE);
  }

  @Test
  void onlyADetachedNodeIsTakenOutOfTheSession() {
    NodePlan node =
        ClusterPlan.of(Path.of("/x"), "dev", Shape.DEFAULT, new Ports.FromBase(7001))
            .nodes()
            .get(0);

    assertThat(ServerJvm.command(node, Lifetime.DETACHED, Launch.PLAIN).get(0))
        .containsAnyOf("setsid", "nohup");
    assertThat(ServerJvm.command(node, Lifetime.DETACHED, Launch.PLAIN))
        .doesNotContain(NodeMain.class.getName());
    assertThat(ServerJvm.command(node, Lifetime.OF_PARENT, Launch.PLAIN))
        .contains(NodeMain.class.getName())
        .endsWith("server", "--config", "/x/n1/quorate.conf");
  }

  @Test
  void settingsOfOneLaunchOverrideTheFile() {
    NodePlan node =
        ClusterPlan.of(Path.of("/x"), "dev", Shape.DEFAULT, new Ports.FromBase(7001))
            .nodes()
            .get(0);
    Launch launch = Launch.with(Map.of("cluster.replicas", "5", "admin.bind", "127.0.0.2"));

    assertThat(ServerJvm.command(node, Lifetime.OF_PARENT, launch))
        .endsWith("--set", "admin.bind=127.0.0.2", "--set", "cluster.replicas=5");
  }
}
