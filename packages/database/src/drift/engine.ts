import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

type SchemaEngine = bindings.SchemaEngine;

/** Global in every JavaScript engine, but TypeScript declares it only with the browser's types. */
declare const WebAssembly: {
  instantiate(
    bytes: Uint8Array,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let loading: Promise<void> | undefined;

/**
 * Starts the WebAssembly build of Prisma's schema engine, in the release of the `prisma` package. It comes from npm;
 * the native engine would be downloaded from another host at install time.
 *
 * @param schema the text of schema.prisma
 */
export const startEngine = async (
  schema: string,
  factory: SqlMigrationAwareDriverAdapterFactory,
): Promise<SchemaEngine> => {
  loading ??= loadEngine();
  await loading;
  return await bindings.SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(factory),
  );
};

/** Loads the .wasm file from disk. The package's own entry imports it as a module, which not every Node supports. */
const loadEngine = async (): Promise<void> => {
  // `createRequire`, because test runners do not offer import.meta.resolve.
  const bindingsFile = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const file = join(dirname(bindingsFile), 'schema_engine_bg.wasm');
  const { instance } = await WebAssembly.instantiate(await readFile(file), {
    './schema_engine_bg.js': { ...bindings },
  });
  bindings.__wbg_set_wasm(instance.exports);
  const start = instance.exports['__wbindgen_start'];
  if (typeof start === 'function') start();
};
