/**
 * The smallest engine that keeps the contract, for those who write one: its replicas share a log in
 * the memory of the JVM instead of agreeing on one. {@link
 * io.quorate.consensus.example.ExampleContractTest} shows what it has to pass.
 */
package io.quorate.consensus.example;
