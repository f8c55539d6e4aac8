import process from 'node:process';

/**
 * A module of Node's own, loaded now and not with this package: HTTP, TLS and
 * compression take as long to load as all of the Node door, and few programs need them.
 */
export const builtin: typeof process.getBuiltinModule = process.getBuiltinModule.bind(process);
