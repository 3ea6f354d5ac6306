/**
 * Three Ratis servers in one JVM, with the guards of {@code guards} or without them, and a network
 * between them: fixtures of tests that show a fault of Ratis and the effect of a guard. Our engine
 * is not used here.
 */
package io.quorate.ratis.bare;
