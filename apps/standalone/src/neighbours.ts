/** A part that has just started, on a busy machine, answers its first request late. */
const PATIENCE_MS = 3000;
const MOST_BYTES = 100_000;

/** A request to each part of the service, and what only its answer contains. */
const SIGNS: [path: string, answer: RegExp][] = [
  ['/v1/me', /"code":"\w+".*"request_id":/],
  ['/public.exams.list', /"path":"public\.exams\.list"/],
  ['/', /<title>Desk<\/title>/],
  ['/metrics', /^# TYPE evaluation_http_requests_total /m],
];

/** Whether a part of this service, in another process, answers at a taken port. */
export const isThisService = async (at: { host: string; port: number }): Promise<boolean> => {
  const host = at.host === '0.0.0.0' ? '127.0.0.1' : at.host.includes(':') ? `[${at.host}]` : at.host;
  const found = await Promise.all(
    SIGNS.map(async ([path, answer]) => {
      try {
        const response = await fetch(`http://${host}:${at.port}${path}`, {
          redirect: 'manual',
          signal: AbortSignal.timeout(PATIENCE_MS),
        });
        return answer.test(await beginningOf(response));
      } catch {
        return false;
      }
    }),
  );
  return found.includes(true);
};

const beginningOf = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_BYTES) break;
  }
  return text;
};
