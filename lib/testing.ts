/**
 * For tests of applications that use `rxjs-mcp`: servers that do what a test says, marble diagrams over
 * clients and managers, recordings that are played again, and a check for what is left behind. Needs no
 * runner and no assertion library, and runs in browsers too.
 *
 * @packageDocumentation
 */
export { collect, outcome, type Collected, type Outcome } from './testing/collect.js';
export type { Difference } from './testing/difference.js';
export { answerTo, failureOf, progressOf, type Inbound } from './testing/inbound.js';
export { provideLazyModules } from './testing/lazy-modules.js';
export { expectNoLeaks, leaks, type Leak, type LeakTarget, type Watch } from './testing/leaks.js';
export type { InboundOptions, McpMarbles, McpMarblesOptions } from './testing/marble-types.js';
export { runMcpMarbles } from './testing/marbles.js';
export type { OutboundOptions } from './testing/outbound-view.js';
export { parseRecording, recordWire, type RecordedEvent, type RecordedFailure, type Recording, type RecordOptions, type WireRecorder } from './testing/recording.js';
export { replay, ReplayServer } from './testing/replay.js';
export type { ReplayOptions } from './testing/replay-connection.js';
export type { MessagePath } from './testing/replay-matching.js';
export type { ParamsMatch, Reaction, ScriptedResult } from './testing/script.js';
export type { ScriptedConnection } from './testing/scripted-connection.js';
export type { Offer, ScriptedServerOptions } from './testing/scripted-defaults.js';
export { scriptedEntries, withScriptedServers, type Openable } from './testing/scripted-entries.js';
export { ScriptedServer, scriptedServer, type Received } from './testing/scripted-server.js';
export { LeakError, MarbleMismatchError, MarbleSetupError, RecordingFormatError, ReplayError, ReplayMismatchError, type ReplayFacts } from './testing/testing-errors.js';
