package io.quorate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AdminPagesTest {
  private static final Health HEALTH =
      new Health(
          List.of("Region 1: this replica differs from n2 from \"app/alice\" on."),
          List.of("Region 1: this replica differs from those of other nodes."));

  private static String health(boolean isSecured) {
    AdminContext context =
        new AdminContext(
            new NodeId("n1"), () -> HEALTH, () -> true, null, null, name -> true, null);
    AdminPage page =
        new AdminPages(context, null, null, isSecured)
            .page(new AdminRequest(false, "/health", Map.of()))
            .toCompletableFuture()
            .join();
    assertThat(page.code()).isEqualTo(503);
    return new String(page.body(), StandardCharsets.UTF_8);
  }

  @Test
  void whoHasNoRightLearnsNoKeyFromHealth() {
    assertThat(health(true)).contains("Region 1").doesNotContain("alice").doesNotContain("n2");
    assertThat(health(false)).contains("app/alice");
  }
}
