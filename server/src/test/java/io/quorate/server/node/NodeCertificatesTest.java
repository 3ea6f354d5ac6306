package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.testing.TestCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeCertificatesTest {
  @TempDir private Path directory;

  private ServerConfig config(String settings) {
    return new TestCluster(directory, 1, "engine = memory\n" + settings).config(0);
  }

  @Test
  void aNodeThatOthersReachNeedsCertificates() {
    for (String key : new String[] {"node.bind", "admin.bind"}) {
      for (String address : new String[] {"0.0.0.0", "::", "192.0.2.1"}) {
        ServerConfig config = config(key + " = \"" + address + "\"");
        assertThatThrownBy(() -> NodeCertificates.load(config))
            .isInstanceOf(StartupException.class)
            .hasMessageContaining("quorate." + key + " is \"" + address + "\"")
            .hasMessageContaining("quorate.security = off");
      }
    }
  }

  @Test
  void itStartsWithoutThemIfThatIsMeant() {
    ServerConfig config = config("node.bind = \"0.0.0.0\"\nsecurity = off");
    assertThat(NodeCertificates.load(config)).isEmpty();
    assertThat(config.security().text()).isEqualTo("off");
  }

  @Test
  void programsOnTheSameMachineNeedNone() {
    ServerConfig config = config("node.bind = localhost\nadmin.bind = \"::1\"");
    assertThat(NodeCertificates.load(config)).isEmpty();
    assertThat(config.security().text()).isEqualTo("loopback");
  }
}
