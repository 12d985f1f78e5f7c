import type { RequestHandler } from 'express';
import { Refusal } from '../middleware/errors.ts';
import type { KnownSessions } from '../sessions/knownSessions.ts';
import type { Streams } from './streams.ts';

/** Shorter than the idle timeout of proxies. A stream ends at most this long after its session. */
const BEAT_MS = 25_000;
/** Bytes that a browser has not read, above which its stream ends; the browser then connects again. */
const MOST_UNREAD_BYTES = 64 * 1024;

/**
 * `/events`: a stream of server-sent events that name the exams and copies of the institute that have changed. The page
 * reads those again by its usual calls, so an event holds ids only, and a lost one does no harm.
 */
export const sendEvents =
  (sessions: KnownSessions, streams: Streams): RequestHandler =>
  async (request, response) => {
    const known = await sessions.of(request, response);
    if (known === null) throw new Refusal(401, 'UNAUTHORIZED');
    // The browser disconnected during the look-up. `close` was emitted before, so its handler would never free the
    // stream.
    if (response.closed) return;
    const { staff } = known;
    const send = (text: string): void => {
      response.write(text);
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
    };
    const close = streams.open(
      { instituteId: staff.institute_id, staffId: staff.id },
      { send: (change) => send(`data: ${JSON.stringify(change)}\n\n`), end: () => response.end() },
    );
    if (close === null) throw new Refusal(503, 'SERVICE_UNAVAILABLE');
    const beat = setInterval(() => {
      // If core does not answer, the stream stays open: its ids are of no use without a session.
      sessions.of(request, response).then(
        (found) => (found === null ? response.end() : send(':\n\n')),
        () => send(':\n\n'),
      );
    }, BEAT_MS);
    response.once('close', () => {
      clearInterval(beat);
      close();
    });
    response.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    response.flushHeaders();
    send('retry: 2000\n\n');
  };
