package io.quorate.ratis.patches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.quorate.ratis.RatisEngineProvider;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An engine that starts with class paths that applications may have. */
class StartCheckTest {
  private static final String VERSIONS = "ratis-version.properties";

  @TempDir Path directory;

  private final List<Path> classPath =
      Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
          .map(Path::of)
          .toList();

  @Test
  void theClassPathOfThisModuleIsSound() {
    assertThatCode(TestedRatis::require).doesNotThrowAnyException();
    assertThatCode(ClassesInPlace::require).doesNotThrowAnyException();
    assertThat(start(classPath)).as("goes on after the checks").isNotInstanceOf(IOException.class);
  }

  /** Wherever it is on the class path: nothing says which jar a class of Ratis comes from. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anotherVersionOfRatisIsRefused(boolean isFirst) throws IOException {
    Files.writeString(directory.resolve(VERSIONS), "name=Apache Ratis Common\nversion=3.2.2\n");
    List<Path> other = new ArrayList<>(classPath);
    other.add(isFirst ? 0 : other.size(), directory);
    assertThat(start(other))
        .isInstanceOf(IOException.class)
        .message()
        .contains("3.2.2 (file:" + directory)
        .contains("tested with 3.3.0 only: set the version")
        .doesNotContain("\n");
  }

  /** A jar into which those of two versions were merged. */
  @Test
  void severalVersionsInOneFileAreRefused() throws IOException {
    Files.writeString(directory.resolve(VERSIONS), "version=3.3.0\nrevision=1\nversion=3.4.0\n");
    List<Path> merged = new ArrayList<>(classPath);
    merged.add(directory);
    assertThat(start(merged)).isInstanceOf(IOException.class).hasMessageContaining("Ratis 3.4.0");
  }

  @Test
  void anUnknownVersionIsRefused() throws IOException {
    try (URLClassLoader loader =
        new URLClassLoader(urls(classPath), ClassLoader.getPlatformClassLoader()) {
          @Override
          public Enumeration<URL> getResources(String name) throws IOException {
            return name.equals(VERSIONS)
                ? Collections.emptyEnumeration()
                : super.getResources(name);
          }
        }) {
      assertThat(start(loader))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("version of Apache Ratis on the class path is unknown");
    }
  }

  @Test
  void aClassOfRatisBeforeTheOneInItsPlaceIsRefused() {
    Path ratis = jar("ratis-server");
    List<Path> order = new ArrayList<>(classPath);
    order.remove(ratis);
    order.add(0, ratis);
    assertThat(start(order))
        .isInstanceOf(IOException.class)
        .message()
        .contains("The class " + ClassesInPlace.NAMES.get(0) + " of file:" + ratis)
        .contains("put quorate-ratis-ext before Ratis")
        .doesNotContain("\n");
  }

  /** In a jar into which all were merged both have the same place. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.ratis.server.storage.RaftStorageImpl",
        "org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog"
      })
  void aMergedJarWithTheClassOfRatisIsRefused(String name) throws IOException {
    Path ours = ours();
    copy(ours, directory);
    Path file = directory.resolve(file(name));
    try (URLClassLoader ratis =
            new URLClassLoader(
                urls(List.of(jar("ratis-server"))), ClassLoader.getPlatformClassLoader());
        InputStream original = ratis.getResourceAsStream(file(name))) {
      Files.write(file, original.readAllBytes());
    }
    List<Path> merged = new ArrayList<>(classPath);
    merged.set(merged.indexOf(ours), directory);
    assertThat(start(merged)).isInstanceOf(IOException.class).hasMessageContaining(name);
  }

  @Test
  void everyClassWithTheNameOfOneOfRatisIsListedMarkedAndLeftOutOfTheJarOfTheServer()
      throws IOException, ClassNotFoundException {
    Set<String> found = new TreeSet<>();
    Path ours = ours();
    try (Stream<Path> files = Files.walk(ours.resolve("org"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
        String resource = ours.relativize(file).toString().replace(File.separatorChar, '/');
        if (!resource.endsWith("package-info.class")
            && Collections.list(getClass().getClassLoader().getResources(resource)).size() > 1) {
          found.add(resource);
        }
      }
    }
    assertThat(found.stream().filter(resource -> !resource.contains("$")))
        .containsExactlyInAnyOrderElementsOf(files(ClassesInPlace.NAMES));
    String server = Files.readString(Path.of("../server/pom.xml"));
    for (String name : ClassesInPlace.NAMES) {
      assertThat(Class.forName(name).isAnnotationPresent(InPlaceOfRatis.class)).as(name).isTrue();
    }
    for (String resource : found) {
      assertThat(server).contains("<exclude>" + resource + "</exclude>");
    }
  }

  private static List<String> files(List<String> names) {
    return names.stream().map(StartCheckTest::file).toList();
  }

  private static String file(String name) {
    return name.replace('.', '/') + ".class";
  }

  private static Path ours() {
    try {
      return Path.of(
          RatisEngineProvider.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private Path jar(String name) {
    return classPath.stream()
        .filter(path -> path.getFileName().toString().startsWith(name + "-3"))
        .findFirst()
        .orElseThrow();
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copy);
        } else {
          Files.copy(file, copy);
        }
      }
    }
  }

  private static URL[] urls(List<Path> paths) {
    return paths.stream()
        .map(
            path -> {
              try {
                URI uri = path.toUri();
                return uri.toURL();
              } catch (MalformedURLException e) {
                throw new IllegalStateException(e);
              }
            })
        .toArray(URL[]::new);
  }

  private static Throwable start(List<Path> classPath) {
    try (URLClassLoader loader =
        new URLClassLoader(urls(classPath), ClassLoader.getPlatformClassLoader())) {
      return start(loader);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What an engine throws that has no context: at the latest when it needs one. */
  private static Throwable start(ClassLoader loader) {
    try {
      Method start =
          Arrays.stream(loader.loadClass("io.quorate.ratis.RatisEngine").getDeclaredMethods())
              .filter(method -> method.getName().equals("start") && method.getParameterCount() == 3)
              .findFirst()
              .orElseThrow();
      start.setAccessible(true);
      start.invoke(null, null, null, null);
      throw new AssertionError("An engine has started without a context.");
    } catch (InvocationTargetException e) {
      return e.getCause();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
