/**
 * Wall clocks of single nodes, which can jump. The fault that sets them does not belong here; it is
 * in the package {@code nemesis}.
 */
package io.quorate.torture.testbed.clock;
