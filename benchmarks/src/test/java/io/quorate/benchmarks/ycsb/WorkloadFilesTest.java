package io.quorate.benchmarks.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.List;
import java.util.Properties;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import site.ycsb.workloads.CoreWorkload;

class WorkloadFilesTest {
  private static final List<String> PROPORTIONS =
      List.of(
          CoreWorkload.READ_PROPORTION_PROPERTY,
          CoreWorkload.UPDATE_PROPORTION_PROPERTY,
          CoreWorkload.INSERT_PROPORTION_PROPERTY,
          CoreWorkload.SCAN_PROPORTION_PROPERTY,
          CoreWorkload.READMODIFYWRITE_PROPORTION_PROPERTY);

  static List<String> names() throws IOException {
    return Workloads.names();
  }

  @Test
  void thereIsAFileForEachWorkloadOfYcsbAndOfThePaper() throws IOException {
    assertThat(names())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(
                    Stream.of("a", "b", "c", "d", "e", "f"),
                    IntStream.rangeClosed(1, 9).mapToObj(i -> "w" + 10 * i),
                    IntStream.rangeClosed(0, 5).mapToObj(i -> "s" + 10 * i),
                    IntStream.rangeClosed(0, 5).mapToObj(i -> "delete" + 20 * i))
                .flatMap(each -> each)
                .toList());
  }

  @ParameterizedTest
  @MethodSource("names")
  void theProportionsAddUpToOne(String name) throws IOException {
    Properties properties = Workloads.properties(name);
    double sum = deletes(properties);
    for (String proportion : PROPORTIONS) {
      sum += number(properties, proportion);
    }
    assertThat(sum).isCloseTo(1, within(1e-9));
  }

  @ParameterizedTest
  @MethodSource("names")
  void thePercentageInTheNameIsThatOfTheFile(String name) throws IOException {
    Properties properties = Workloads.properties(name);
    double scans = number(properties, CoreWorkload.SCAN_PROPORTION_PROPERTY);
    double updates = number(properties, CoreWorkload.UPDATE_PROPORTION_PROPERTY);
    if (name.startsWith("delete")) {
      assertThat(deletes(properties) / (deletes(properties) + updates))
          .isEqualTo(percent(name, "delete"));
      assertThat(scans).isEqualTo(0.5);
    } else if (name.startsWith("w")) {
      assertThat(updates).isEqualTo(percent(name, "w"));
    } else if (name.startsWith("s")) {
      assertThat(scans).isEqualTo(percent(name, "s"));
    } else {
      assertThat(name).hasSize(1);
    }
  }

  private static double deletes(Properties properties) {
    return Double.parseDouble(properties.getProperty(DeletingWorkload.DELETE_PROPORTION, "0"));
  }

  private static double number(Properties properties, String name) {
    return Double.parseDouble(properties.getProperty(name));
  }

  private static double percent(String name, String prefix) {
    return Integer.parseInt(name.substring(prefix.length())) / 100.0;
  }
}
