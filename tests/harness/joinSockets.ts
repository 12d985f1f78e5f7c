import type { Socket } from 'node:net';
import type { Transform } from 'node:stream';

/**
 * Joins the two connections of a TCP proxy. Both need `allowHalfOpen`.
 * @param sockets holds both connections until they are closed
 * @param newFilter makes a stream for each direction, through which its chunks go
 */
export const joinSockets = (
  client: Socket,
  upstream: Socket,
  sockets: Set<Socket>,
  newFilter?: () => Transform,
): void => {
  for (const [one, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    sockets.add(one);
    one.on('error', () => other.resetAndDestroy());
    one.once('close', () => {
      sockets.delete(one);
      // `pipe` does not end the other socket when this one is destroyed.
      if (!one.readableEnded) other.destroy();
    });
    (newFilter === undefined ? one : one.pipe(newFilter())).pipe(other);
  }
};
