/** What a step of a replica takes and returns: inputs, effects, records and own messages. */
package io.quorate.rabia.core.step;
