package io.quorate.client.testing;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs an {@link EmbeddedCluster} for the tests of a class of JUnit Jupiter: started before the
 * first, closed after the last. Its tests may have parameters of type {@link EmbeddedCluster},
 * {@link io.quorate.client.QuorateClient} and {@link io.quorate.client.AsyncQuorateClient}, which
 * they must not close. The data of one test is there in the next.
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
 * <p>The application brings JUnit. Nested classes share the cluster of the class around them.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(QuorateExtension.class)
public @interface QuorateTest {
  /** How many nodes: 1 for speed, 3 or 5 to see nodes come and go. */
  int nodes() default 1;

  /** Into how many regions the keys are cut. */
  int regions() default 1;

  /** How replicas agree: a name that the server knows; empty for its default. */
  String preset() default "";
}
