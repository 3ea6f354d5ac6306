package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.model.Key;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every constructor and method of the public classes refuses null with the name of the parameter;
 * those of the interfaces of clients are in {@link ArgumentsTest}.
 */
class NullsTest {
  /** One class of each package. */
  private static final List<Class<?>> ANCHORS =
      List.of(QuorateClient.class, ClusterStatus.class, Key.class);

  /** Instances of these are in {@link ArgumentsTest}; the last one is that of nodes. */
  private static final Set<Class<?>> ELSEWHERE =
      Set.of(Batch.class, ClientOptions.Builder.class, NodeToNode.class);

  /** What the JDK prescribes. */
  private static final Set<String> OF_THE_JDK = Set.of("equals", "compareTo", "valueOf");

  private static final Map<Class<?>, Object> VALID =
      Map.ofEntries(
          Map.entry(long.class, 1L),
          Map.entry(int.class, 1),
          Map.entry(boolean.class, true),
          Map.entry(double.class, 1.0),
          Map.entry(byte[].class, new byte[] {1}),
          Map.entry(String.class, "text"),
          Map.entry(Object.class, "text"),
          Map.entry(Class.class, String.class),
          Map.entry(Key.class, Key.utf8("text")),
          Map.entry(Optional.class, Optional.empty()),
          Map.entry(OptionalDouble.class, OptionalDouble.empty()),
          Map.entry(List.class, List.of()),
          Map.entry(Iterable.class, List.of()),
          Map.entry(Set.class, Set.of()),
          Map.entry(Map.class, Map.of()),
          Map.entry(Duration.class, Duration.ofSeconds(1)),
          Map.entry(Instant.class, Instant.EPOCH),
          Map.entry(UUID.class, new UUID(1, 1)),
          Map.entry(ByteBuffer.class, ByteBuffer.allocate(100)),
          Map.entry(ClientOptions.class, ClientOptions.of("localhost:1")),
          Map.entry(MeterRegistry.class, new SimpleMeterRegistry()),
          Map.entry(ObservationRegistry.class, ObservationRegistry.NOOP));

  private static Stream<Class<?>> publicClasses(Class<?> anchor) {
    try {
      Path location = Path.of(anchor.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(location)) {
        return classesOf(location, anchor.getPackageName());
      }
      try (FileSystem jar = FileSystems.newFileSystem(location)) {
        return classesOf(jar.getPath("/"), anchor.getPackageName());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Stream<Class<?>> classesOf(Path root, String packageName) throws IOException {
    try (Stream<Path> files = Files.list(root.resolve(packageName.replace('.', '/')))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
          .<Class<?>>map(name -> loaded(packageName + "." + name.replace(".class", "")))
          .filter(NullsTest::isPublic)
          .toList()
          .stream();
    }
  }

  private static Class<?> loaded(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean isPublic(Class<?> type) {
    return Modifier.isPublic(type.getModifiers())
        && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
  }

  private static Stream<Executable> executables(Class<?> type) {
    Stream<Method> methods =
        Arrays.stream(type.getDeclaredMethods())
            .filter(method -> !method.isSynthetic() && !OF_THE_JDK.contains(method.getName()))
            .filter(
                method ->
                    Modifier.isStatic(method.getModifiers())
                        || !(type.isInterface() || ELSEWHERE.contains(type)));
    return Stream.<Executable>concat(Arrays.stream(type.getConstructors()), methods)
        .filter(each -> type != NodeToNode.class && Modifier.isPublic(each.getModifiers()));
  }

  private static Stream<Arguments> references() {
    return ANCHORS.stream()
        .flatMap(NullsTest::publicClasses)
        .flatMap(NullsTest::executables)
        .flatMap(
            each ->
                IntStream.range(0, each.getParameterCount())
                    .filter(index -> isNotNull(each.getParameters()[index]))
                    .mapToObj(index -> Arguments.of(each, index)));
  }

  private static boolean isNotNull(Parameter parameter) {
    return !parameter.getType().isPrimitive()
        && !parameter.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  private static Object valid(Class<?> type) throws ReflectiveOperationException {
    if (VALID.containsKey(type)) {
      return VALID.get(type);
    } else if (type.isEnum()) {
      return type.getEnumConstants()[0];
    } else if (type.isInterface()) {
      return Proxy.newProxyInstance(
          type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> null);
    }
    Constructor<?> least =
        Arrays.stream(type.getConstructors())
            .min(Comparator.comparing(Constructor::getParameterCount))
            .orElseThrow();
    return least.newInstance(valid(least.getParameterTypes()));
  }

  private static Object[] valid(Class<?>[] types) throws ReflectiveOperationException {
    Object[] all = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      all[i] = valid(types[i]);
    }
    return all;
  }

  private static void run(Executable each, Object[] arguments) throws Throwable {
    try {
      if (each instanceof Constructor<?> constructor) {
        constructor.newInstance(arguments);
      } else {
        boolean isStatic = Modifier.isStatic(each.getModifiers());
        ((Method) each).invoke(isStatic ? null : valid(each.getDeclaringClass()), arguments);
      }
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  @ParameterizedTest
  @MethodSource("references")
  void nullIsRefusedWithItsName(Executable each, int index) throws ReflectiveOperationException {
    Object[] arguments = valid(each.getParameterTypes());
    arguments[index] = null;
    assertThat(catchThrowable(() -> run(each, arguments)))
        .isExactlyInstanceOf(NullPointerException.class)
        .hasMessageMatching("[a-zA-Z]+ must not be null");
  }
}
