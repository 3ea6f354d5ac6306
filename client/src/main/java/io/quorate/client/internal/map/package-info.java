/** Maps: keys and values of an application's types, over the calls of a client. */
package io.quorate.client.internal.map;
