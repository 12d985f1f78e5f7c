export { createLogger, type Logger } from './logger.ts';
export { runUntilSignal } from './runUntilSignal.ts';
