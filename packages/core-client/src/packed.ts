/** What the packed client exports (`npm run pack:core-client`); its types are in `packed/index.d.ts`. */
export { coreOverHttp, failureOf, isInputRefused, isUnreachable, replayOf } from './index.ts';
export { staffActor } from '@evaluation/platform/signed-actor';
