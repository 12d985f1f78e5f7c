import { stopsBySignal } from '@evaluation/platform/telemetry/stopSignals';
import { runAgreement } from './agreement.ts';

/** `npm run agreement`: measures how far a grader agrees with human marks (docs/agreement.md). */
process.exitCode = await runAgreement(process.argv.slice(2), stopsBySignal());
