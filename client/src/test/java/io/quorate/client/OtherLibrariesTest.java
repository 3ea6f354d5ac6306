package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.quorate.client.fake.FakeCluster;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a class path that has other versions of the libraries than the client needs. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OtherLibrariesTest {

  /** Loads all classes anew, without some, as from an earlier version of their library. */
  private static final class WithoutClasses extends URLClassLoader {
    private final List<String> prefixes;

    WithoutClasses(String... prefixes) throws MalformedURLException {
      super(classPath(), ClassLoader.getPlatformClassLoader());
      this.prefixes = List.of(prefixes);
    }

    private static URL[] classPath() throws MalformedURLException {
      List<URL> urls = new ArrayList<>();
      for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
        urls.add(Path.of(element).toUri().toURL());
      }
      return urls.toArray(URL[]::new);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (prefixes.stream().anyMatch(name::startsWith)) {
        throw new ClassNotFoundException(name);
      }
      return super.findClass(name);
    }
  }

  /** The generated classes check the version of the runtime, by a class that is rather new. */
  @Test
  void connectingFailsWithAnEarlierVersionOfProtobuf() throws Exception {
    try (FakeCluster cluster = FakeCluster.start(1)) {
      Throwable failure = connect("com.google.protobuf.RuntimeVersion", cluster);
      assertThat(failure.getClass().getName()).isEqualTo(UnavailableException.class.getName());
      assertThat(failure)
          .hasMessageContaining("perhaps the class path has another version of a library")
          .hasCauseInstanceOf(LinkageError.class);
    }
  }

  @Test
  void jsonNeedsOneOfTheVersionsOfJackson() throws Exception {
    try (WithoutClasses loader = new WithoutClasses("tools.jackson.")) {
      Object codec = json(loader);
      assertThat(encoded(loader, codec, true)).asString().isEqualTo("true");
    }
    try (WithoutClasses loader = new WithoutClasses("com.fasterxml.jackson.databind.")) {
      assertThat(encoded(loader, json(loader), true)).asString().isEqualTo("true");
    }
  }

  /** The codecs that need no library work without it, and the exception names what to add. */
  @Test
  void jsonWithoutJacksonNamesTheArtifact() throws Exception {
    try (WithoutClasses loader = new WithoutClasses("tools.jackson.", "com.fasterxml.jackson.")) {
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThat(catchThrowable(() -> json(loader)))
            .isInstanceOf(InvocationTargetException.class)
            .cause()
            .isInstanceOf(IllegalStateException.class)
            .hasMessageStartingWith("Codec.json needs Jackson on the class path: add the artifact")
            .hasMessageContaining("tools.jackson.core:jackson-databind")
            .hasCauseInstanceOf(NoClassDefFoundError.class);
      }
      Object utf8 = loader.loadClass(Codec.class.getName()).getMethod("utf8").invoke(null);
      assertThat(encoded(loader, utf8, "text")).asString().isEqualTo("text");
    }
  }

  private static Object json(ClassLoader loader) throws ReflectiveOperationException {
    return loader
        .loadClass(Codec.class.getName())
        .getMethod("json", Class.class)
        .invoke(null, Boolean.class);
  }

  private static byte[] encoded(ClassLoader loader, Object codec, Object value)
      throws ReflectiveOperationException {
    return (byte[])
        loader
            .loadClass(Codec.class.getName())
            .getMethod("encode", Object.class)
            .invoke(codec, value);
  }

  private static Throwable connect(String missing, FakeCluster cluster)
      throws IOException, ReflectiveOperationException {
    try (WithoutClasses loader = new WithoutClasses(missing)) {
      Class<?> options = loader.loadClass(ClientOptions.class.getName());
      Object builder = options.getMethod("builder", String.class).invoke(null, cluster.addresses());
      builder
          .getClass()
          .getMethod("deadline", Duration.class)
          .invoke(builder, Duration.ofSeconds(2));
      Object built = builder.getClass().getMethod("build").invoke(builder);
      Method connect =
          loader.loadClass(QuorateClient.class.getName()).getMethod("connect", options);
      Throwable thrown = catchThrowable(() -> connect.invoke(null, built));
      assertThat(thrown).isInstanceOf(InvocationTargetException.class);
      return thrown.getCause();
    }
  }
}
