import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type SchemaEngine = bindings.SchemaEngine;

/** Every JavaScript engine has it; TypeScript declares it with the browser's types only. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let loading: Promise<void> | undefined;

/**
 * Prisma's own schema engine in its WebAssembly build, the same release as the `prisma` package. The native one comes
 * from a download host at install time; this one comes from npm like everything else.
 *
 * @param schema the text of schema.prisma
 */
export async function startEngine(
  schema: string,
  factory: SqlMigrationAwareDriverAdapterFactory,
): Promise<SchemaEngine> {
  loading ??= loadEngine();
  await loading;
  return await bindings.SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    // Its log lines; what matters comes back as results and errors.
    () => {},
    bindMigrationAwareSqlAdapterFactory(factory),
  );
}

/** The package's own entry imports the .wasm file as a module, which not every Node can. */
async function loadEngine(): Promise<void> {
  // Not import.meta.resolve, which test runners do not offer.
  const bindingsFile = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const file = join(dirname(bindingsFile), 'schema_engine_bg.wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    './schema_engine_bg.js': { ...bindings },
  });
  bindings.__wbg_set_wasm(instance.exports);
  const start = instance.exports['__wbindgen_start'];
  if (typeof start === 'function') start();
}
