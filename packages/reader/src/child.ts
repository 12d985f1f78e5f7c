import { createReader } from './read.ts';
import type { Line } from './types.ts';

/** Sent to the child for each picture. */
export interface ReadRequest {
  jpeg: Uint8Array;
  paper: readonly string[];
}

/** Sent by the child: once when it can read, then once for each picture. */
export type Message = { kind: 'ready' } | { kind: 'lines'; lines: Line[] } | { kind: 'failed' };

const send = (message: Message): void => void process.send?.(message);

process.on('disconnect', () => process.exit());
const read = await createReader();
process.on('message', ({ jpeg, paper }: ReadRequest) => {
  read(jpeg, paper).then(
    (lines) => send({ kind: 'lines', lines }),
    () => send({ kind: 'failed' }),
  );
});
send({ kind: 'ready' });
