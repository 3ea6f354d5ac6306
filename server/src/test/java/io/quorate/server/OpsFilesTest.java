package io.quorate.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quorate.server.testing.Prometheus;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files for operators, by the programs that read them where the machine has these. */
class OpsFilesTest {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Path UNIT = HOME.resolve("ops/quorate.service");
  private static final Path ALERTS = HOME.resolve("ops/quorate-alerts.yml");
  private static final String RUNBOOK = "file:///opt/quorate/docs/operations.md#";

  @TempDir private Path directory;

  private record Run(int exitCode, String out) {}

  private static Run run(ProcessBuilder program) throws IOException, InterruptedException {
    Process process = program.redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Run(process.waitFor(), out.strip());
  }

  private static Path program(String name) {
    Optional<Path> found = Prometheus.program(name);
    assumeTrue(found.isPresent(), "There is no " + name + " on this machine.");
    return found.get();
  }

  @Test
  void everyAlertHasASectionOfTheOperationsThatSaysWhatToDo() throws IOException {
    Set<String> sections =
        Files.readAllLines(HOME.resolve("docs/operations.md")).stream()
            .filter(line -> line.matches("#{2,6} .+"))
            .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
            .map(title -> title.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
            .collect(Collectors.toSet());
    List<String> alerts =
        List.of(Files.readString(ALERTS).split("- alert: ")).stream().skip(1).toList();
    assertThat(alerts).hasSizeGreaterThan(20);
    for (String alert : alerts) {
      List<String> runbooks =
          alert
              .lines()
              .map(String::strip)
              .filter(line -> line.startsWith("runbook_url: "))
              .map(line -> line.substring("runbook_url: ".length()))
              .toList();
      assertThat(runbooks).as(alert).singleElement().asString().startsWith(RUNBOOK);
      assertThat(sections).contains(runbooks.get(0).substring(RUNBOOK.length()));
    }
  }

  @Test
  void theAlertsFireAsTheyShould() throws IOException, InterruptedException {
    Path promtool = program("promtool");
    Path tests = directory.resolve("tests.yml");
    try (InputStream file = getClass().getResourceAsStream("alerts-test.yml")) {
      String text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
      Files.writeString(tests, text.replace("RULES", ALERTS.toString()));
    }
    Run run = run(new ProcessBuilder(promtool.toString(), "test", "rules", tests.toString()));
    assertThat(run.exitCode()).as(run.out()).isZero();
  }

  @Test
  void theUnitIsValidAndConfined() throws IOException, InterruptedException {
    Path analyze = program("systemd-analyze");
    Path unit = directory.resolve("quorate.service");
    // The program is not installed here.
    String text = Files.readString(UNIT).replaceFirst("(?m)^ExecStart=.*$", "ExecStart=/bin/true");
    Files.writeString(unit, text);
    Run verified =
        run(new ProcessBuilder(analyze.toString(), "verify", "--man=no", unit.toString()));
    assertThat(verified.exitCode()).as(verified.out()).isZero();
    assertThat(verified.out()).doesNotContain("quorate.service");
  }

  @Test
  void theUnitLetsTheNodeWriteItsDirectoriesAndNothingElse() throws IOException {
    assertThat(Files.readAllLines(UNIT))
        .contains(
            "StateDirectory=quorate",
            "StateDirectoryMode=0700",
            "UMask=0077",
            "ProtectSystem=strict",
            "PrivateTmp=true",
            "NoNewPrivileges=true",
            "CapabilityBoundingSet=",
            "SystemCallFilter=@system-service",
            "SystemCallFilter=~@privileged",
            "SystemCallErrorNumber=EPERM",
            "ProtectProc=invisible",
            "RestartPreventExitStatus=2");
  }

  @ParameterizedTest
  @CsvSource({"server, 0077", "dev, 0077", "shell, 0077", "get, 0022"})
  void whatHasKeysAndValuesIsReadByItsOwnerAlone(String verb, String umask)
      throws IOException, InterruptedException {
    Files.copy(HOME.resolve("quorate"), directory.resolve("quorate"));
    Path java = Files.createDirectories(directory.resolve("jdk/bin")).resolve("java");
    Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
    Files.writeString(java, "#!/bin/sh\numask\n");
    assertThat(java.toFile().setExecutable(true)).isTrue();
    Files.createFile(
        Files.createDirectories(directory.resolve("lib")).resolve("quorate-server.jar"));
    ProcessBuilder shell =
        new ProcessBuilder(
            "/bin/sh",
            "-c",
            "umask 022; exec /bin/sh " + directory.resolve("quorate") + " " + verb);
    shell.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
    shell.environment().put("QUORATE_ARCHIVE", "off");
    assertThat(run(shell)).isEqualTo(new Run(0, umask));
  }

  /** A file of rules that only looks like one would not be noticed. */
  @Test
  void everyAlertNamesTheNodeOrCountsRegions() throws IOException {
    Pattern bySeries = Pattern.compile("(?m)^ +expr: quorate_region_");
    assertThat(bySeries.matcher(Files.readString(ALERTS)).find())
        .as("an alert for each region of a node")
        .isFalse();
  }
}
