/**
 * The part of the harness in the process of a node: a thread that switches failpoints on and off by
 * order, and the installation of defects. It is loaded as a Java agent, so that the product needs
 * no switch for either. The faults that send the orders do not belong here; they are in the package
 * {@code nemesis}, and the defects in the package {@code canary}.
 */
package io.quorate.torture.testbed.agent;
