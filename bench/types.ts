// What the parts of the benchmark say to each other. Types only: clients and servers are plain JavaScript, run by Node as they are.

/** Where a server is: how it is started, or its URL. */
export type Target = { readonly command: string; readonly args: readonly string[] } | { readonly url: string };

export type ClientName = 'bare' | 'bare-node-http' | 'ours' | 'ours-fetch' | 'official' | 'official-default' | 'sdk' | 'ai-sdk';

/**
 * A connected client, used in its own natural form: callbacks cost nothing
 * beside promises, and nothing beside Observables.
 */
export interface BenchClient {
  /** Calls a tool; `done` gets the text of its result. */
  call(name: string, args: object, done: (text: string) => void, fail: (error: unknown) => void): void;
  /** The same with news of progress; absent where the client has none. */
  callWithProgress?(name: string, args: object, onProgress: () => void, done: (text: string) => void, fail: (error: unknown) => void): void;
  /** Adds a subscriber to the log messages of the server; absent where the client cannot. */
  listen?(onLog: () => void): void;
  /** How many tools the server has. */
  listTools(): Promise<number>;
  close(): Promise<void>;
}

/** What a client module exports as `connect`. */
export type Connect = (target: Target, options: ConnectOptions) => Promise<BenchClient>;

export interface ConnectOptions {
  /** Which of the clients that the module knows. */
  readonly client: ClientName;
  /** Where rxjs-mcp is imported from: a package or a path. */
  readonly library: string;
}

/** What a client is told to do while it is measured. */
export type Workload =
  /** `count` calls, `width` of them under way at any time. */
  | { readonly kind: 'calls'; readonly count: number; readonly width: number }
  /** `count` calls that are all sent before one is answered, `times` over. */
  | { readonly kind: 'held'; readonly count: number; readonly times: number }
  /** One call during which `count` notifications come, for each of `subscribers`. */
  | { readonly kind: 'notifications'; readonly count: number; readonly subscribers: number }
  /** A result with a text of `bytes`, `times` over. */
  | { readonly kind: 'large'; readonly bytes: number; readonly times: number }
  /** One call during which `count` news of progress come. */
  | { readonly kind: 'progress'; readonly count: number }
  /** Connecting, listing the tools, and (not measured) closing, `times` over. */
  | { readonly kind: 'start'; readonly target: Target; readonly times: number };

/** What a workload took, in the process of the client. */
export interface Measurement {
  readonly wallMs: number;
  readonly cpuMs: number;
  /** The most memory that was resident since the process began, in MB. */
  readonly peakMB: number;
}

/** What the harness sends to a client process. */
export type Order = { readonly order: 'connect'; readonly target: Target } | { readonly order: 'run'; readonly workload: Workload } | { readonly order: 'close' };

/** What a client process sends back to each order. */
export interface Reply {
  readonly measurement?: Measurement;
  readonly error?: string;
}
