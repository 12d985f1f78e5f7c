import { resolve } from 'node:path';
import * as z from 'zod/v4';
import { inUse, port, read } from './read.ts';

export const ClientEnvironment = z.object({
  DATA_DIR: z.string().default('.data'),
  PORT: port.default(8080),
  CORE_URL: z.url().optional(),
  CORE_CONTROL_TOKEN: inUse.optional(),
  /** A key and an address of a service that runs elsewhere; else the demo uses the one of `npm start`. */
  API_URL: z.url().optional(),
  API_KEY: z.string().optional(),
});

/** Settings of the programs that people run beside the service: the provisioning CLI and the demo. */
export const readClientSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(ClientEnvironment, env);
  return {
    dataDir: resolve(e.DATA_DIR),
    port: e.PORT,
    coreUrl: e.CORE_URL,
    controlToken: e.CORE_CONTROL_TOKEN,
    apiUrl: e.API_URL,
    apiKey: e.API_KEY,
    environment: env,
  };
};
export type ClientSettings = ReturnType<typeof readClientSettings>;
