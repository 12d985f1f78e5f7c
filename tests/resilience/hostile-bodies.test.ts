import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { coreOverHttp } from '@evaluation/core-client';
import { apiClient, type ApiClient } from '../harness/api.ts';
import { hostileBodies } from '../harness/hostileBodies.ts';
import { startLatencyProbe } from '../harness/latencyProbe.ts';
import { processesIn } from '../harness/memory.ts';
import { startSplitService, type SplitService } from '../harness/processes.ts';

/*
 * One key sends the most expensive bodies, four at a time, while another institute reads its account. Facade and core
 * run with the heap that the chart sets: 70 % of 768 MiB and of 1 GiB.
 *
 * HOSTILE_SECONDS=600 HOSTILE_P99_MS=1000 npx vitest run tests/resilience/hostile-bodies.test.ts
 * runs for ten minutes and also checks latency, on an otherwise idle machine with two cores.
 */

const SECONDS = Number(process.env['HOSTILE_SECONDS'] ?? 10);
const AT_ONCE = 4;
const PROBE_MS = 100;
/** Checked only if set: beside other tests, latency depends on the machine. */
const P99_MS = Number(process.env['HOSTILE_P99_MS'] ?? Infinity);
const IS_LIMITED = Number.isFinite(P99_MS);
const MEBI = 1024 * 1024;
const LIMITS = { facade: 768 * MEBI, core: 1024 * MEBI };

let service: SplitService;
let victim: ApiClient;
beforeAll(async () => {
  service = await startSplitService(
    {
      KEY_CACHE_SECONDS: '30',
      VALIDATE_RESPONSES: 'false',
      // A long run uses the rate that the standard tier permits one key.
      ...(IS_LIMITED ? { RATE_LIMITS_STANDARD: 'key:writes:minute=120' } : {}),
    },
    {
      facade: { NODE_OPTIONS: '--max-old-space-size=538' },
      core: { NODE_OPTIONS: '--max-old-space-size=717' },
    },
  );
  const control = coreOverHttp({
    url: service.core().name,
    token: service.environment['CORE_CONTROL_TOKEN'] ?? '',
  });
  const provision = control.as({}).control;
  const { institute_id } = await provision.createInstitute.mutate({ name: 'Neighbour', credits: 10 });
  const { api_key } = await provision.createKey.mutate({ institute_id });
  victim = apiClient(service.facade.name, api_key);
  await control.close();
  // Warm-up: the first call compiles code for the later ones.
  await victim.get('/me');
});
afterAll(() => service?.close());

const resident = async (pid: number): Promise<number> => processesIn(pid)[0]?.bytes ?? 0;

test(
  'the worst bodies of one institute end no process, and delay no other institute',
  async () => {
    const bodies = hostileBodies();
    const answers = new Map<string, Map<string, number>>();
    const peak = { facade: 0, core: 0 };
    const until = performance.now() + SECONDS * 1000;
    const isOver = (): boolean => performance.now() > until;

    let next = 0;
    const attack = async (): Promise<void> => {
      while (!isOver() || next < bodies.length) {
        const hostile = bodies[next % bodies.length];
        if (hostile === undefined) throw new Error('no body');
        next += 1;
        const outcome = await service.api
          .send(hostile.path, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'idempotency-key': `${next}` },
            body: hostile.body,
          })
          .then(async (response) => {
            await response.arrayBuffer();
            if (response.status === 503 || response.status === 429) await wait(200);
            return String(response.status);
          })
          // An answer sent before the end of the body may close the connection.
          .catch(() => 'cut off');
        const seen = answers.get(hostile.name) ?? new Map<string, number>();
        answers.set(hostile.name, seen.set(outcome, (seen.get(outcome) ?? 0) + 1));
      }
    };
    const watch = async (): Promise<void> => {
      while (!isOver()) {
        peak.facade = Math.max(peak.facade, await resident(service.facade.pid));
        peak.core = Math.max(peak.core, await resident(service.core().pid));
        await wait(50);
      }
    };
    const probe = startLatencyProbe({
      url: `${service.facade.name}/me`,
      headers: { 'x-api-key': victim.apiKey },
      everyMs: PROBE_MS,
    });
    await Promise.all([watch(), ...Array.from({ length: AT_ONCE }, attack)]);
    const { latencies, answers: statuses } = await probe.stop();

    const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Infinity;
    const fields = Object.fromEntries([...answers].map(([name, seen]) => [name, Object.fromEntries(seen)]));
    console.info({
      seconds: SECONDS,
      bodies: next,
      asked: latencies.length,
      p50: Math.round(latencies[Math.floor(latencies.length / 2)] ?? 0),
      p99: Math.round(p99),
      max: Math.round(latencies.at(-1) ?? 0),
      facadeMiB: Math.round(peak.facade / MEBI),
      coreMiB: Math.round(peak.core / MEBI),
      fields,
    });
    for (const { name, answers: expected } of bodies) {
      const seen = Object.keys(fields[name] ?? {});
      expect(
        seen.filter((status) => !['429', '503', 'cut off', ...expected.map(String)].includes(status)),
        name,
      ).toEqual([]);
    }
    expect(statuses).toEqual(['200']);
    expect(peak.facade).toBeLessThan(LIMITS.facade);
    expect(peak.core).toBeLessThan(LIMITS.core);
    expect(p99).toBeLessThan(P99_MS);
    for (const program of [service.facade, service.core()]) {
      await expect(Promise.race([program.exited, wait(0, 'alive')])).resolves.toBe('alive');
    }
  },
  (SECONDS + 180) * 1000,
);

test('connections that announce large bodies and send nothing take no room from other clients', async () => {
  const { hostname, port } = new URL(service.facade.name);
  const sockets: Socket[] = [];
  for (let index = 0; index < 30; index += 1) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST /v1/exams HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.api.apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${96 * MEBI}\r\n\r\n{`,
    );
    sockets.push(socket);
  }
  const large = {
    title: 'Large',
    mode: 'typed',
    candidates: Array.from({ length: 2000 }, (_, index) => ({
      external_id: `v${index}`,
      metadata: { a: 'x'.repeat(900) },
    })),
  };
  for (const api of IS_LIMITED ? [victim] : [victim, service.api])
    expect((await api.post('/exams', large)).status).toBe(201);
  for (const socket of sockets) socket.destroy();
});
