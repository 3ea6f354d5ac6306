/**
 * The evaluation of ACQR: quorum reads compared with plain Rabia, and Rabia with owned slots
 * compared with the published one. What several papers need does not belong here; it is in the
 * package above.
 */
package io.quorate.benchmarks.paper.acqr;
