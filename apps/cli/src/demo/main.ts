import { stopsBySignal } from '@evaluation/platform/telemetry/stopSignals';
import { runDemo } from './demo.ts';

/** `npm run demo`: grades a scanned copy and typed answers through the public API (docs/architecture.md#demo). */
process.exitCode = await runDemo(process.argv.slice(2), stopsBySignal());
