package io.quorate.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An application that has the server on its class path, and no configuration of Logback. */
class LoggingOfApplicationsTest {
  private static final String SELECTED = "logback.configurationFile";

  private final String former = System.getProperty(SELECTED);

  @AfterEach
  void restore() {
    if (former == null) {
      System.clearProperty(SELECTED);
    } else {
      System.setProperty(SELECTED, former);
    }
  }

  @Test
  void itsLoggingIsLeftAlone() throws Exception {
    System.clearProperty(SELECTED);
    assertThat(appenders()).containsExactly("ch.qos.logback.core.ConsoleAppender");
  }

  @Test
  void aProgramOfTheServerLogsAsANode() throws Exception {
    System.clearProperty(SELECTED);
    ServerLog.use();
    assertThat(appenders()).containsExactly("io.quorate.server.logging.QueuedAppender");
  }

  /** The types of the appenders of all lines, with Logback loaded anew. */
  private static List<String> appenders() throws IOException, ReflectiveOperationException {
    try (URLClassLoader application =
        new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
      Class<?> factory = application.loadClass("org.slf4j.LoggerFactory");
      Object root = factory.getMethod("getLogger", String.class).invoke(null, "ROOT");
      Iterator<?> found =
          (Iterator<?>) root.getClass().getMethod("iteratorForAppenders").invoke(root);
      List<String> names = new ArrayList<>();
      found.forEachRemaining(appender -> names.add(appender.getClass().getName()));
      return names;
    }
  }

  /** Without what is there in tests alone. */
  private static URL[] classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.contains("test-classes"))
        .map(LoggingOfApplicationsTest::url)
        .toArray(URL[]::new);
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalStateException(e);
    }
  }
}
