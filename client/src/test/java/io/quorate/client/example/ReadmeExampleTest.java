package io.quorate.client.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import org.junit.jupiter.api.Test;

class ReadmeExampleTest {
  @Test
  void theExampleRuns() {
    try (FakeCluster cluster = FakeCluster.start(3)) {
      ReadmeExample.main(new String[] {cluster.addresses()});
      assertThat(cluster.value("greeting")).contains("hello");
      assertThat(cluster.value("visits")).contains("1");
      assertThat(cluster.value("user:2")).contains("grace");
    }
  }
}
