/** The evaluation of ACQR: quorum reads beside plain Rabia, and Rabia beside itself. */
package io.quorate.benchmarks.paper.acqr;
