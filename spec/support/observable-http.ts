// Fake HTTP for specs: answers made of Observables, so that virtual time controls them.
import { Observable, of } from 'rxjs';
import type { HttpHandler, HttpRequest, HttpResponse } from '../../lib/transport/http-handler.ts';

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The head of an answer and its body: a text, or its chunks in time. */
export function answer(status: number, headers: Record<string, string> = {}, body: string | Observable<Uint8Array> = ''): HttpResponse {
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    status,
    statusText: '',
    headers: { get: (name) => fields.get(name.toLowerCase()) ?? null },
    body$: typeof body === 'string' ? of(utf8(body)) : body,
  };
}

export const json = (value: unknown, status = 200): HttpResponse => answer(status, { 'content-type': 'application/json' }, JSON.stringify(value));
export const events = (body: string | Observable<Uint8Array>): HttpResponse => answer(200, { 'content-type': 'text/event-stream' }, body);

export interface FakeHandler {
  readonly handler: HttpHandler;
  readonly requests: HttpRequest[];
  /** Exchanges that are open now. */
  live: number;
}

/** Answers the nth request, from 0, and stays open while somebody is subscribed, as a real handler does. */
export function fakeHandler(react: (request: HttpRequest, n: number) => HttpResponse | Observable<HttpResponse>): FakeHandler {
  const fake: FakeHandler = {
    requests: [],
    live: 0,
    handler: (request) =>
      new Observable((subscriber) => {
        const n = fake.requests.push(request) - 1;
        fake.live++;
        subscriber.add(() => {
          fake.live--;
        });
        const response = react(request, n);
        if (response instanceof Observable) subscriber.add(response.subscribe(subscriber));
        else subscriber.next(response);
      }),
  };
  return fake;
}
