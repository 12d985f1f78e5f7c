import { resolve } from 'node:path';
import * as z from 'zod/v4';
import { inUse, port, read } from './read.ts';

export const ClientEnvironment = z.object({
  DATA_DIR: z.string().default('.data'),
  PORT: port.default(8080),
  CORE_URL: z.url().optional(),
  CORE_CONTROL_TOKEN: inUse.optional(),
  /** Address and key of a service that runs elsewhere. Default: the service of `npm start`. */
  API_URL: z.url().optional(),
  API_KEY: z.string().optional(),
});

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
