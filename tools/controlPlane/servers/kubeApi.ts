import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

/** A client of the Kubernetes API for the few calls that a kubelet, a kube-proxy and an operator make. */
export interface KubeApi {
  /** @throws Error for any status but 2xx and 404 */
  find<T>(path: string): Promise<T | null>;
  list<T>(path: string): Promise<T[]>;
  create(path: string, object: object): Promise<void>;
  /** Strategic merge patch: conditions and statuses of containers are merged by their names. */
  patch(path: string, change: object): Promise<void>;
  /** Deletes an object, or all objects of a list. A missing object is not an error. */
  remove(path: string, options?: object): Promise<void>;
  /** Keeps `objects` as the cluster has them, by name, and calls `changed` after each change. */
  watch<T extends Named>(path: string, changed: (objects: ReadonlyMap<string, T>) => void): Watch;
  close(): void;
}

export interface Named {
  metadata: { name: string; namespace?: string };
}
export interface Watch {
  close(): void;
}
interface List<T> {
  metadata: { resourceVersion: string };
  items: T[];
}

const AGAIN_MS = 200;

export const kubeApi = (url: string, token: string, authority: Buffer): KubeApi => {
  const agent = new Agent({ ca: authority, keepAlive: true });
  const open = (method: string, path: string, body?: object, type = 'application/json') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${token}`,
        ...(text === undefined
          ? {}
          : { 'content-type': type, 'content-length': String(Buffer.byteLength(text)) }),
      };
      const sent = request(`${url}${path}`, { method, agent, headers }, resolve);
      sent.on('error', reject);
      sent.end(text);
    });
  const call = async (method: string, path: string, body?: object, type?: string): Promise<Answer> => {
    const response = await open(method, path, body, type);
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
    const status = response.statusCode ?? 0;
    if (status >= 300 && status !== 404) throw new Error(`${method} ${path}: ${status} ${text}`);
    return { status, text };
  };
  const list = async <T>(path: string): Promise<List<T>> => {
    const { status, text } = await call('GET', path);
    if (status === 404) throw new Error(`GET ${path}: not found`);
    // Unchecked: a caller reads fields that its kind has.
    return JSON.parse(text) as List<T>;
  };
  return {
    find: async <T>(path: string) => {
      const { status, text } = await call('GET', path);
      return status === 404 ? null : (JSON.parse(text) as T);
    },
    list: async <T>(path: string) => (await list<T>(path)).items,
    create: async (path, object) => {
      const { status, text } = await call('POST', path, object);
      if (status === 404) throw new Error(`POST ${path}: ${text}`);
    },
    patch: async (path, change) => {
      await call('PATCH', path, change, 'application/strategic-merge-patch+json');
    },
    remove: async (path, options) => {
      await call('DELETE', path, options);
    },
    watch: <T extends Named>(path: string, changed: (objects: ReadonlyMap<string, T>) => void) => {
      let isOver = false;
      let current: IncomingMessage | undefined;
      const objects = new Map<string, T>();
      const follow = async (): Promise<void> => {
        const { metadata, items } = await list<T>(path);
        objects.clear();
        for (const item of items) objects.set(item.metadata.name, item);
        changed(objects);
        const since = encodeURIComponent(metadata.resourceVersion);
        current = await open('GET', `${path}?watch=true&resourceVersion=${since}`);
        for await (const line of createInterface({ input: current })) {
          const { type, object } = JSON.parse(line) as { type: string; object: T };
          // For example a version that is too old: list again.
          if (type === 'ERROR') return;
          if (type === 'DELETED') objects.delete(object.metadata.name);
          else objects.set(object.metadata.name, object);
          changed(objects);
        }
      };
      const forever = async (): Promise<void> => {
        while (!isOver) {
          await follow().catch(() => {});
          if (!isOver) await wait(AGAIN_MS);
        }
      };
      void forever();
      return {
        close: () => {
          isOver = true;
          current?.destroy();
        },
      };
    },
    close: () => agent.destroy(),
  };
};

interface Answer {
  status: number;
  text: string;
}
