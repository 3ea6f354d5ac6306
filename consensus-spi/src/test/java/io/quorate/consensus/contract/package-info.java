/**
 * The tests that every engine must pass, and the cluster and state machine that they use. The tests
 * of an engine extend {@link io.quorate.consensus.contract.EngineContract} and the contract of each
 * control that it offers. Tests of one protocol belong to its engine's module.
 */
package io.quorate.consensus.contract;
