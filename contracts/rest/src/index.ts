export * from './errors.ts';
export { everyRoute, failuresOf } from './everyRoute.ts';
export * from './fieldErrors.ts';
export * from './routes/index.ts';
export * from './schemas/index.ts';
