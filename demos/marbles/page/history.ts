import { isNotification, isRequest, isResponse, type ClientState, type JsonRpcMessage, type RequestId, type WireRecord } from '../../../lib/index.ts';
import type { Happening, Mark } from './happening.ts';
import { Requests, type Ending } from './requests.ts';
import { Ring } from './ring.ts';

/** What is told of a happening, before it has its place. */
type News = Omit<Happening, 'place' | 'ms' | 'connection'>;

/** All that happened to the connections of this page: counted for ever, kept for as long as there is room. */
export class History {
  readonly ring: Ring<Happening>;
  readonly requests = new Requests();
  /** Messages so far. */
  readonly counts = { in: 0, out: 0, notifications: 0 };
  readonly #startedAt: number;
  /** Is told of each happening as it comes. */
  readonly #onHappening: (happening: Happening) => void;
  #lastMs = 0;
  #connection = 0;

  constructor(capacity: number, startedAt: number, onHappening: (happening: Happening) => void) {
    this.ring = new Ring(capacity);
    this.#startedAt = startedAt;
    this.#onHappening = onHappening;
  }

  /** Milliseconds since the page was opened. */
  msOf(time: number): number {
    return Math.max(this.#lastMs, time - this.#startedAt);
  }

  connectionOpened(): void {
    this.#connection++;
  }

  message({ direction, message, time }: WireRecord): void {
    const ms = this.msOf(time);
    this.counts[direction]++;
    if (direction === 'out') this.#add(ms, this.#sent(message, ms));
    else this.#add(ms, this.#received(message, ms));
  }

  state(state: ClientState, time: number): void {
    const ms = this.msOf(time);
    const cause = state.status === 'disconnected' ? state.cause : undefined;
    const content = { status: state.status, ...(cause !== undefined && { cause: cause instanceof Error ? String(cause) : cause }), ...(state.status === 'ready' && { server: state.session.serverInfo, protocolVersion: state.session.protocolVersion }) };
    const isOver = state.status === 'closed' || state.status === 'disconnected';
    const unanswered = isOver ? this.requests.unanswered(this.#connection) : [];
    const marks: Mark[] = [{ lane: 'state', kind: state.status === 'disconnected' ? 'error' : 'state' }];
    this.#add(ms, { direction: state.status === 'disconnected' && this.#connection > 0 ? 'end' : 'local', content, title: state.status, marks });
    for (const { id } of unanswered) this.ended(id, 'cancelled', 'The connection is over', time);
  }

  /** A request that ended at this end, where no message says so. */
  ended(id: RequestId, ending: Ending, why: string, time: number): void {
    const ms = this.msOf(time);
    const request = this.requests.end(id, ending, ms);
    if (request === undefined) return;
    this.#add(ms, { direction: 'local', content: { request: id, ending, why }, title: `${ending}: ${request.title}`, marks: [{ lane: request.lane, kind: ending }], request: id });
  }

  #sent(message: JsonRpcMessage, ms: number): News {
    const title = titleOf(message);
    if (isRequest(message)) {
      const { lane } = this.requests.open(message.id, nameOf(message), this.#connection, ms);
      return { direction: 'out', content: message, title, marks: [mark('outbound', 'sent'), mark(lane, 'sent')], request: message.id };
    }
    const id = isNotification(message) && message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    const request = this.requests.end(id, 'cancelled', ms);
    const marks = [mark('outbound', 'sent')];
    if (request !== undefined) marks.push(mark(request.lane, 'cancelled'));
    return { direction: 'out', content: message, title, marks, request: request?.id };
  }

  #received(message: JsonRpcMessage, ms: number): News {
    const title = titleOf(message);
    if (isResponse(message)) {
      const kind = 'result' in message && message.result.isError !== true ? 'result' : 'error';
      const request = this.requests.end(message.id, kind, ms);
      const marks = [mark('inbound', kind)];
      if (request !== undefined) marks.push(mark(request.lane, kind));
      return { direction: 'in', content: message, title: request === undefined ? title : `${title} of ${request.title}`, marks, request: request?.id };
    }
    if (isRequest(message)) return { direction: 'in', content: message, title, marks: [mark('inbound', 'asked')] };
    this.counts.notifications++;
    const marks = [mark('inbound', 'notification'), mark('notifications', 'notification')];
    const request = message.method === 'notifications/progress' ? this.requests.get(message.params?.progressToken) : undefined;
    if (request !== undefined) marks.push(mark(request.lane, 'progress'));
    return { direction: 'in', content: message, title, marks, request: request?.id };
  }

  #add(ms: number, news: News): void {
    this.#lastMs = ms;
    const happening: Happening = { place: this.ring.next, ms, connection: this.#connection, ...news };
    this.ring.push(happening);
    this.#onHappening(happening);
  }
}

const mark = (lane: Mark['lane'], kind: Mark['kind']): Mark => ({ lane, kind });

function titleOf(message: JsonRpcMessage): string {
  if (isResponse(message)) return `${'result' in message ? 'result' : 'error'} #${message.id ?? '?'}`;
  return isRequest(message) ? `${message.method} #${message.id}` : message.method;
}

/** What a request is called in its row: a tool's name says more than `tools/call`. */
function nameOf(message: { readonly id: RequestId; readonly method: string; readonly params?: Record<string, unknown> }): string {
  const { id, method, params } = message;
  return `#${id} ${method === 'tools/call' ? String(params?.name) : method}`;
}
