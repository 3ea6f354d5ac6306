package io.quorate.testing;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import java.lang.reflect.Parameter;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Starts and closes the cluster of a {@link QuorateTest}. */
final class QuorateExtension implements BeforeAllCallback, AfterAllCallback, ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(QuorateExtension.class);

  /** A cluster and the client of its tests. */
  private record Running(EmbeddedCluster cluster, QuorateClient client) implements AutoCloseable {
    static Running start(QuorateTest test) {
      EmbeddedCluster.Builder builder =
          EmbeddedCluster.builder().nodes(test.nodes()).regions(test.regions());
      if (test.splitAt().length > 0) {
        builder.splitAt(test.splitAt());
      }
      EmbeddedCluster cluster =
          (test.preset().isEmpty() ? builder : builder.preset(test.preset())).start();
      try {
        return new Running(cluster, QuorateClient.connect(cluster.options()));
      } catch (RuntimeException e) {
        cluster.close();
        throw e;
      }
    }

    /** By JUnit if the class has no tests that begin, as if its constructor has failed. */
    @Override
    public void close() {
      client.close();
      cluster.close();
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    running(context);
  }

  /** Also before {@link #beforeAll}: then the only instance of a class is constructed. */
  private static Running running(ExtensionContext context) {
    ExtensionContext.Store store = context.getStore(NAMESPACE);
    // The store of a nested class inherits the entries of its enclosing class.
    Running present = store.get(Running.class, Running.class);
    if (present != null) {
      return present;
    }
    Class<?> tests = context.getRequiredTestClass();
    Running started =
        Running.start(AnnotationSupport.findAnnotation(tests, QuorateTest.class).orElseThrow());
    started.cluster().assign(tests);
    store.put(Running.class, started);
    return started;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    // Only the store of the outermost class, which holds the entry, removes it.
    Running running = context.getStore(NAMESPACE).remove(Running.class, Running.class);
    if (running != null) {
      running.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == EmbeddedCluster.class
        || type == QuorateClient.class
        || type == AsyncQuorateClient.class;
  }

  @Override
  public Object resolveParameter(ParameterContext context, ExtensionContext test) {
    Running running = running(test);
    Parameter parameter = context.getParameter();
    if (parameter.getType() == EmbeddedCluster.class) {
      return running.cluster();
    }
    return parameter.getType() == QuorateClient.class ? running.client() : running.client().async();
  }
}
