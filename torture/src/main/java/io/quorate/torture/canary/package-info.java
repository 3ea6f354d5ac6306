/**
 * Defects that each break one safety rule of the nodes, to show that the harness detects the
 * violations. They change single methods while the classes are being loaded, so that the product
 * needs no switch for them. The agent that installs them does not belong here; it is in the package
 * {@code agent}.
 */
package io.quorate.torture.canary;
