package io.quorate.benchmarks.ycsb.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkloadFileTest {
  @Test
  void aNameInEitherCaseIsAWorkloadOfThisModule() throws IOException {
    WorkloadFile workload = WorkloadFile.read("W90").orElseThrow();

    assertThat(workload.name()).isEqualTo("w90");
    assertThat(workload.property("updateproportion")).hasValue("0.9");
    assertThat(WorkloadFile.read("w90")).hasValue(workload);
  }

  @Test
  void anythingElseIsAFile(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("mine"), "recordcount = 7 \nworkload=x");

    WorkloadFile workload = WorkloadFile.read(file.toString()).orElseThrow();

    assertThat(workload.name()).isEqualTo("mine");
    assertThat(workload.property("recordcount")).hasValue("7");
    assertThat(workload.with(Map.of("recordcount", "8")).property("recordcount")).hasValue("8");
    assertThat(WorkloadFile.read("fly")).isEmpty();
    assertThat(WorkloadFile.read(directory.toString())).isEmpty();
  }
}
