/** PostgreSQL, nats-server and an S3 endpoint, started without Docker (docs/architecture.md#start). */
export { startPostgres } from './postgres/start.ts';
export type { EmbeddedPostgres } from './postgres/start.ts';
export { startNats } from './nats/start.ts';
export type { EmbeddedNats, NatsOptions } from './nats/start.ts';
export { natsBinary } from './nats/binary.ts';
export { startS3 } from './s3/start.ts';
export { stopServersAtOnce } from './running.ts';
