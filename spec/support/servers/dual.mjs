// The modern server that also serves the revisions up to 2025-11-25: over stdio with a handshake, over HTTP without sessions.
import { http, stdio } from './modern.mjs';
import { isProgram } from './program.mjs';

export const dualHttp = () => http('dual', 'stateless');

if (isProgram(import.meta.url)) stdio('dual', 'serve');
