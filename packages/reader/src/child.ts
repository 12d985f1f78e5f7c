import { createReader } from './read.ts';
import type { Line } from './types.ts';

/** Sent by the child: once when it can read, then once for each picture. */
export type Message = { kind: 'ready' } | { kind: 'lines'; lines: Line[] } | { kind: 'failed' };

const send = (message: Message): void => void process.send?.(message);

process.on('disconnect', () => process.exit());
const read = await createReader();
process.on('message', (jpeg: Uint8Array) => {
  read(jpeg).then(
    (lines) => send({ kind: 'lines', lines }),
    () => send({ kind: 'failed' }),
  );
});
send({ kind: 'ready' });
