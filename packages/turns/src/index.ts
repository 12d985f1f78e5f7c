export { createTurns, NoTurn, type Turns, type TurnsOptions } from './turns.ts';
