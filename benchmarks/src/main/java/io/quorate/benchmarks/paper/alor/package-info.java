/**
 * The evaluation of ALOR: placement of replicas and leaders on nodes with devices of different
 * speed.
 */
package io.quorate.benchmarks.paper.alor;
