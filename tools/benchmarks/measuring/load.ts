import { Pool } from 'undici';

/** Repeats `work` in closed loops: each loop begins the next one when its last one has ended. */
export const closedLoops = async (
  count: number,
  loops: number,
  work: (index: number) => Promise<void>,
): Promise<void> => {
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(loops, count) }, async () => {
      while (next < count) {
        next += 1;
        await work(next - 1);
      }
    }),
  );
};

interface Client {
  get(path: string): Promise<void>;
  /** @returns the body of the response */
  post(path: string, body: string, headers?: Record<string, string>): Promise<unknown>;
  close(): Promise<void>;
}

/** An HTTP client that costs less CPU than `fetch`, with warm connections. Any status but 2xx is an error. */
export const openClient = (baseUrl: string, connections: number, apiKey = ''): Client => {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname === '/' ? '' : pathname;
  const pool = new Pool(origin, { connections });
  const ask = async (
    method: 'GET' | 'POST',
    path: string,
    body: string | null,
    headers: Record<string, string>,
  ) => {
    const response = await pool.request({
      method,
      path: `${prefix}${path}`,
      headers: { 'x-api-key': apiKey, ...headers },
      body,
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
    return text;
  };
  return {
    get: async (path) => void (await ask('GET', path, null, {})),
    post: async (path, body, headers = {}) =>
      JSON.parse(await ask('POST', path, body, { 'content-type': 'application/json', ...headers })),
    close: () => pool.close(),
  };
};
