import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { imageNames } from '@evaluation/bundle';
import { BUILD_BASE, NODE_BASE } from './bases.ts';
import type { Engine } from './engine.ts';

const HERE = fileURLToPath(new URL('../../../', import.meta.url));

export type App = (typeof imageNames)[number];

export const imageOf = (app: App, version: string): string => `answer-evaluation/${app}:${version}`;

/** Builds the images from the Dockerfile as it stands. @returns what is wrong with them */
export const buildImages = async (
  engine: Engine,
  version: string,
  say: (line: string) => void,
): Promise<string[]> => {
  const wrong: string[] = [];
  say(`the base has ${await megabytes(engine, NODE_BASE)} MB`);
  for (const app of imageNames) {
    const began = performance.now();
    const image = imageOf(app, version);
    const words = ['build', '--quiet', '--network', 'host', '--build-arg', `BUILD_BASE=${BUILD_BASE}`];
    await engine.docker([...words, '--target', app, '--tag', image, HERE]);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    say(`${image}: ${await megabytes(engine, image)} MB, built in ${seconds} s`);
    const environment = await engine.docker(['image', 'inspect', '--format', '{{json .Config.Env}}', image]);
    if (/company|npm_config|NODE_EXTRA_CA_CERTS/.test(environment))
      wrong.push(`${app} has settings of the build: ${environment}`);
  }
  return wrong;
};

const megabytes = async (engine: Engine, image: string): Promise<number> =>
  Math.round(Number(await engine.docker(['image', 'inspect', '--format', '{{.Size}}', image])) / 1e6);
