/**
 * What replicas say to each other and what they write down: vocabulary without behaviour, shared by
 * the core, its log and its transport.
 */
package io.quorate.rabia.protocol;
