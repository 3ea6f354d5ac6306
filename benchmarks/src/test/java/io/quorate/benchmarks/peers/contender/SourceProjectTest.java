package io.quorate.benchmarks.peers.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceProjectTest {
  @TempDir private Path directory;

  private final List<String> progress = new ArrayList<>();

  private Programs programs(boolean mayBuild) {
    return new Programs(directory.resolve("programs"), mayBuild, progress::add);
  }

  private static SourceProject project(String source, String script) {
    return new SourceProject(
        "sample",
        Map.of("src/source", source),
        List.of(List.of("sh", "-c", script)),
        Map.of("GREETING", "hello"));
  }

  @Test
  void itIsBuiltOnceAndAgainAfterAChange() throws Exception {
    String script = "cat src/source > program; echo $GREETING >> program";
    SourceProject first = project("one\n", script);
    assertThat(first.isBuilt(programs(true))).isFalse();

    first.build(programs(true));

    Path program = first.directory(programs(true)).resolve("program");
    assertThat(program).hasContent("one\nhello");
    assertThat(progress).hasSize(1);

    first.build(programs(true));
    assertThat(progress).hasSize(1);

    SourceProject changed = project("two\n", script);
    assertThat(changed.isBuilt(programs(true))).isFalse();
    changed.build(programs(true));
    assertThat(program).hasContent("two\nhello");
  }

  @Test
  void anotherPathOfTheBuildingProgramChangesNothing() throws Exception {
    project("one", "true").build(programs(true));

    SourceProject same =
        new SourceProject(
            "sample",
            Map.of("src/source", "one"),
            List.of(List.of("/elsewhere/sh", "-c", "true")),
            Map.of("GREETING", "hello"));
    assertThat(same.isBuilt(programs(true))).isTrue();
  }

  @Test
  void aFailureIsReportedWithTheLastLineOfTheBuild() {
    SourceProject project = project("one", "echo some; echo 'no such module'; exit 3");

    assertThatThrownBy(() -> project.build(programs(true)))
        .isInstanceOf(UnavailableException.class)
        .hasMessageStartingWith("Building it failed: no such module (log: ");
    assertThat(project.isBuilt(programs(true))).isFalse();
  }

  @Test
  void theFirstErrorOfMavenIsReported() {
    SourceProject project =
        project("one", "echo '[ERROR] no such artifact'; echo '[ERROR] Re-run Maven'; exit 1");

    assertThatThrownBy(() -> project.build(programs(true)))
        .hasMessageStartingWith("Building it failed: no such artifact (log: ");
  }

  @Test
  void aMissingBuildingProgramIsReported() {
    SourceProject project =
        new SourceProject("sample", Map.of(), List.of(List.of("no-such-program")), Map.of());

    assertThatThrownBy(() -> project.build(programs(true)))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("no-such-program");
  }

  @Test
  void nothingIsBuiltAgainstTheUsersWill() {
    assertThatThrownBy(() -> project("one", "true").build(programs(false)))
        .isInstanceOf(UnavailableException.class)
        .hasMessage("It is not built, and --no-build was given.");
  }

  @Test
  void programsAreFoundInTheDirectoriesOfThePath() throws Exception {
    Path program = Files.writeString(directory.resolve("tool"), "#!/bin/sh\n");
    String path = "/no/such/directory::" + directory;

    assertThat(ChildProcess.find("tool", path)).isEmpty();
    assertThat(program.toFile().setExecutable(true)).isTrue();
    assertThat(ChildProcess.find("tool", path)).contains(program.toAbsolutePath());
    assertThat(ChildProcess.find("other", path)).isEmpty();
  }
}
