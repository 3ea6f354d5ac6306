/**
 * A database for the tests of applications: {@link io.quorate.testing.EmbeddedCluster} runs nodes
 * in the JVM of the test, {@link io.quorate.testing.QuorateTest} does so for a JUnit class, and
 * {@link io.quorate.testing.QuorateContainer} runs one node in a container. None of them is for
 * production, and the server itself does not belong here.
 */
@NullMarked
package io.quorate.testing;

import org.jspecify.annotations.NullMarked;
