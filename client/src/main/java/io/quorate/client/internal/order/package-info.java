/** The order of the calls of a client that keeps one, key by key. */
package io.quorate.client.internal.order;
