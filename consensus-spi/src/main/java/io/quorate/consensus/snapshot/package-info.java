/**
 * Brings a replica that fell behind to another one's state: that one exports it to files, the
 * replica fetches them in pieces and installs them. How requests and answers travel is the engine's
 * affair.
 */
package io.quorate.consensus.snapshot;
