/**
 * The members of each configuration, and what is known of each: its progress, delay and silence.
 */
package io.quorate.rabia.core.members;
