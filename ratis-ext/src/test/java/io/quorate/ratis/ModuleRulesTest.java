package io.quorate.ratis;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What belongs in this module, and what its parts may use of each other. */
@AnalyzeClasses(
    packages = {"io.quorate.ratis", "org.apache.ratis"},
    importOptions = {ImportOption.DoNotIncludeTests.class, ImportOption.DoNotIncludeJars.class})
class ModuleRulesTest {
  private static final String ENGINE = "io.quorate.ratis";
  private static final String PATCHES = "io.quorate.ratis.patches";
  private static final String RATIS = "org.apache.ratis..";

  /**
   * The classes that reach no class of Ratis, also not by others of this module. Another engine
   * could use them: a new one belongs in {@code replication}, and this list only becomes shorter.
   */
  private static final Set<String> WITHOUT_RATIS =
      Set.of(
          "EntryCodec",
          "MemberMetrics",
          "ProposerMetrics",
          "settings.RatisSettings",
          "RatisThreads",
          "ReplacementSteps",
          "ReplicaTransport",
          "SnapshotLog",
          "flow.AppendWindow",
          "flow.UnappliedLog",
          "health.CommitWatch",
          "health.PeerProbe",
          "health.StallWatch",
          "hibernation.HibernationMarkers",
          "hibernation.MemberNames",
          "hibernation.MembersBehind",
          "quorum.CommitNotifier",
          "quorum.ReadMetrics",
          "quorum.ReadResponse",
          "quorum.RequestsInFlight",
          "read.ConfirmationRound",
          "read.Confirmers",
          "read.LeaderLease");

  @ArchTest
  static void everyOtherClassReachesRatis(JavaClasses module) {
    Set<JavaClass> engine =
        module.stream()
            .filter(type -> type.getPackageName().startsWith(ENGINE))
            .filter(type -> !type.getPackageName().equals(PATCHES))
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(Collectors.toSet());
    Set<String> reaching = new HashSet<>();
    boolean grows = true;
    while (grows) {
      grows = false;
      for (JavaClass type : engine) {
        for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
          JavaClass target = dependency.getTargetClass();
          if (target.getPackageName().startsWith("org.apache.ratis")
              || target.getPackageName().equals(PATCHES)
              || reaching.contains(topLevel(target))) {
            grows |= reaching.add(topLevel(type));
          }
        }
      }
    }
    Set<String> others = new TreeSet<>();
    engine.forEach(type -> others.add(topLevel(type)));
    others.removeAll(reaching);
    assertThat(others)
        .isEqualTo(
            WITHOUT_RATIS.stream()
                .map(name -> ENGINE + "." + name)
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static String topLevel(JavaClass type) {
    String name = type.getBaseComponentType().getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  /** A proxy passes what it does not name, and reflection costs where requests are received. */
  @ArchTest
  static final ArchRule nothingIsAProxy =
      noClasses()
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(Proxy.class, InvocationHandler.class);

  /** So that they can go one by one, or into a Ratis of our own. */
  @ArchTest
  static final ArchRule patchesKnowRatisOnly =
      classes()
          .that()
          .resideInAnyPackage(PATCHES, RATIS)
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              PATCHES,
              RATIS,
              "io.quorate.common..",
              "io.quorate.ratis.log",
              "io.quorate.replication.quorum",
              "io.quorate.replication.threads",
              "java..",
              "org.slf4j..");
}
