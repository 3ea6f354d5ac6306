package io.quorate.benchmarks.peers.jvm;

import io.quorate.benchmarks.peers.contender.PeerConnection;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * A client whose classes are loaded from its own project and shared with nothing else in this
 * process. The class {@code peer.Client} of the project is a function of a key and a value: it puts
 * the value, or gets the value of the key if the value is null.
 */
final class IsolatedConnection extends PeerConnection {
  private static final String CLIENT = "peer.Client";

  private final ClassLoader loader;
  private final BiFunction<byte[], byte[], CompletionStage<byte[]>> client;

  private IsolatedConnection(
      ClassLoader loader, BiFunction<byte[], byte[], CompletionStage<byte[]>> client) {
    this.loader = loader;
    this.client = client;
  }

  static Path classes(Path project) {
    return project.resolve("target").resolve("classes");
  }

  static Path libraries(Path project) {
    return project.resolve("target").resolve("lib");
  }

  /** The loader of the classes of a project; threads of its clients use it until the end. */
  static ClassLoader loader(Path project) throws IOException {
    List<URL> urls = new ArrayList<>();
    urls.add(classes(project).toUri().toURL());
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(libraries(project), "*.jar")) {
      for (Path jar : jars) {
        urls.add(jar.toUri().toURL());
      }
    }
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  /**
   * Creates a client. Blocks.
   *
   * @param addresses of the nodes, separated by commas
   */
  static IsolatedConnection open(ClassLoader loader, String addresses) throws IOException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      Object client =
          Class.forName(CLIENT, true, loader).getConstructor(String.class).newInstance(addresses);
      @SuppressWarnings("unchecked")
      BiFunction<byte[], byte[], CompletionStage<byte[]>> calls =
          (BiFunction<byte[], byte[], CompletionStage<byte[]>>) client;
      return new IsolatedConnection(loader, calls);
    } catch (ReflectiveOperationException | LinkageError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException("no client: " + cause, e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value) {
    return call(key, value);
  }

  @Override
  public CompletionStage<Optional<byte[]>> get(byte[] key) {
    return call(key, null).thenApply(Optional::ofNullable);
  }

  /** Sends a call; libraries look for their parts with the context class loader. */
  private CompletionStage<byte[]> call(byte[] key, byte[] value) {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      return client.apply(key, value);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Override
  public void close() {
    try {
      ((AutoCloseable) client).close();
    } catch (Exception e) {
      // Its threads are daemons or end with the nodes; the cluster is stopped in any case.
      return;
    }
  }
}
