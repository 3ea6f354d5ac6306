/** What every engine must pass: extend {@link io.quorate.consensus.contract.EngineContract}. */
package io.quorate.consensus.contract;
