package io.quorate.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs an {@link EmbeddedCluster} for the tests of a JUnit Jupiter class. The cluster starts before
 * the first test and closes after the last one. Tests may have parameters of type {@link
 * EmbeddedCluster}, {@link io.quorate.client.QuorateClient} and {@link
 * io.quorate.client.AsyncQuorateClient}, which they must not close. Data that one test writes is
 * visible to the next.
 *
 * <pre>{@code
 * @QuorateTest(nodes = 3)
 * class GreetingTest {
 *   @Test
 *   void isKept(QuorateClient client) {
 *     client.put("greeting", "hello");
 *   }
 * }
 * }</pre>
 *
 * <p>{@link EmbeddedCluster#of} returns the cluster where a method can have no parameters.
 *
 * <p>JUnit is a dependency that the application provides. Nested classes share the cluster of the
 * enclosing class.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(QuorateExtension.class)
public @interface QuorateTest {
  /** The number of nodes: 1 for speed, 3 or 5 to test the failure of nodes. */
  int nodes() default 1;

  /**
   * The number of regions into which the keys are divided, as {@link
   * EmbeddedCluster.Builder#regions}.
   */
  int regions() default EmbeddedCluster.REGIONS;

  /**
   * The keys at which regions begin, as {@link EmbeddedCluster.Builder#splitAt}, in the place of
   * {@link #regions}.
   */
  String[] splitAt() default {};

  /** The name of the combination of replication settings; empty for the server's default. */
  String preset() default "";
}
