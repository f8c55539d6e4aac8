import { concat, defer, EMPTY, ignoreElements, isObservable, NEVER, of, take, throwError, timer, type Observable } from 'rxjs';
import type { ProgressParams } from '../wire/mcp/notifications.js';
import type { JsonObject, JsonRpcMessage } from '../wire/message.js';
import { RpcError } from '../errors.js';
import { matches } from './difference.js';

/** Which messages a rule is for: those whose params have all that the object has, or for which the function says so. @public */
export type ParamsMatch<P> = JsonObject | ((params: P) => boolean);

/** A result, or what makes one of the params; an error that is thrown is the answer. @public */
export type ScriptedResult<P, R> = R | JsonObject | ((params: P, message: JsonRpcMessage) => R | JsonObject | Observable<R | JsonObject>);

/** What a scripted server can do while it deals with a message. */
export interface Stage {
  send(message: object): void;
  close(): void;
}

/** What happens about a message, in order; the value at the end is the result, if there is one. */
export type Play = (message: JsonRpcMessage, stage: Stage) => Observable<object>;

interface Rule {
  readonly method: string;
  readonly match: ParamsMatch<never>;
  readonly play: Play;
  /** How many more messages it is for. */
  left: number;
}

/** What a server does about the messages it gets. */
export class Script {
  readonly #rules: Rule[] = [];

  add(rule: Rule): void {
    this.#rules.push(rule);
  }

  /** Takes what is to be done about a message: rules with a number first, as written, then the newest of the others. */
  take(message: JsonRpcMessage): Play | undefined {
    const fitting = this.#rules.filter((rule) => rule.left > 0 && fits(rule, message));
    const rule = fitting.find(({ left }) => left !== Infinity) ?? fitting.at(-1);
    if (rule !== undefined) rule.left--;
    return rule?.play;
  }
}

/**
 * What a server does about some of the messages: steps, in the order in which
 * they are written, then an end. Only with its end does it take effect.
 *
 * @public
 */
export class Reaction<P, R, Server> {
  readonly #steps: Play[] = [];
  readonly #finish: (play: Play, times: number) => Server;
  #times = Infinity;

  /** @internal */
  constructor(finish: (play: Play, times: number) => Server) {
    this.#finish = finish;
  }

  /** For one message only, and before rules without a number. */
  once(): this {
    return this.times(1);
  }

  /** For so many messages only, and before rules without a number. */
  times(n: number): this {
    this.#times = n;
    return this;
  }

  /** Waits, in milliseconds, before what is written next. */
  after(ms: number): this {
    return this.#step(() => timer(ms).pipe(ignoreElements()));
  }

  /** Sends `notifications/progress`, if the client asked for progress. */
  progress(progress: Omit<ProgressParams, 'progressToken'>): this {
    return this.#step(({ params }, stage) => {
      const { progressToken } = (params?._meta ?? {}) as { progressToken?: unknown };
      if (progressToken !== undefined) notify(stage, 'notifications/progress', { progressToken, ...progress });
      return EMPTY;
    });
  }

  /** Sends `notifications/message`. */
  log(level: string, data: unknown, logger?: string): this {
    return this.notify('notifications/message', { level, data, ...(logger !== undefined && { logger }) });
  }

  /** Sends any notification. */
  notify(method: string, params?: object): this {
    return this.#step((_, stage) => {
      notify(stage, method, params);
      return EMPTY;
    });
  }

  /** Then answers. A function that throws an {@link RpcError} answers with it; any other error is answered as -32603 with its text. */
  answer(result: ScriptedResult<P, R>): Server {
    return this.#end(({ params = {} }, _, message) => {
      if (typeof result !== 'function') return of(result as object);
      const made = (result as (params: P, message: JsonRpcMessage) => object)(params as P, message);
      return isObservable(made) ? (made as Observable<object>).pipe(take(1)) : of(made);
    });
  }

  /** Then answers with an error. */
  fail(code: number, message: string, data?: unknown): Server {
    return this.#end(() => throwError(() => new RpcError(code, message, data)));
  }

  /** Then leaves the request without an answer. */
  silent(): Server {
    return this.#end(() => NEVER);
  }

  /** Then ends the connection, as a server does that dies. */
  close(): Server {
    return this.#end((_, stage) => {
      stage.close();
      return NEVER;
    });
  }

  #step(play: (message: Partial<Sent>, stage: Stage) => Observable<never>): this {
    this.#steps.push((message, stage) => play(message as Partial<Sent>, stage));
    return this;
  }

  #end(end: (message: Partial<Sent>, stage: Stage, whole: JsonRpcMessage) => Observable<object>): Server {
    const steps = [...this.#steps, (message: JsonRpcMessage, stage: Stage) => end(message as Partial<Sent>, stage, message)];
    return this.#finish((message, stage) => concat(...steps.map((step) => defer(() => step(message, stage)))), this.#times);
  }
}

interface Sent {
  readonly params: JsonObject & { readonly _meta?: unknown };
}

function fits({ method, match }: Rule, message: JsonRpcMessage): boolean {
  const { method: sent, params = {} } = message as { method?: string; params?: JsonObject };
  if (sent !== method) return false;
  return typeof match === 'function' ? (match as (params: JsonObject) => boolean)(params) : matches(match, params);
}

function notify(stage: Stage, method: string, params: object | undefined): void {
  stage.send({ jsonrpc: '2.0', method, ...(params && { params }) });
}
