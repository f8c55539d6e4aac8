import { pathToFileURL } from 'node:url';

/**
 * Whether the module at `url` is the program that Node was started with.
 * @param {string} url the module's `import.meta.url`
 */
export const isProgram = (url) => process.argv[1] !== undefined && pathToFileURL(process.argv[1]).href === url;
