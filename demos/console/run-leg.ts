import { catchError, concat, concatMap, defer, EMPTY, filter, ignoreElements, last, map, merge, of, race, switchMap, take, takeUntil, using, type Observable } from 'rxjs';
import { connect, isNotification, type McpClient } from '../../lib/node.ts';
import { toMessage } from './error-message.ts';
import type { DemoEvent, LegEvent } from './events.ts';
import type { Host, Leg } from './legs.ts';
import { lines } from './lines.ts';
import { ProcessWatch } from './process-watch.ts';

/** One leg after another; the one under way closes politely when interrupted, the others do not start. */
export function runLegs(legs: readonly Leg[], interrupted$: Observable<unknown>): Observable<DemoEvent> {
  return concat(
    ...legs.map((leg) => {
      const start$ = of(leg).pipe(takeUntil(interrupted$));
      return start$.pipe(concatMap(() => runLeg(leg, interrupted$)));
    }),
  );
}

function runLeg(leg: Leg, interrupted$: Observable<unknown>): Observable<DemoEvent> {
  return using(
    () => new ProcessWatch(),
    (watch) =>
      concat(
        of<LegEvent>({ event: 'started', title: leg.title }),
        leg.serve((host) => visit(leg, host, interrupted$)).pipe(catchError((error: unknown) => of<LegEvent>({ event: 'error', message: toMessage(error) }))),
        (watch as ProcessWatch).left().pipe(map((count): LegEvent => ({ event: 'closed', ...count }))),
      ),
  ).pipe(map((event) => ({ leg: leg.name, ...event })));
}

/** Connects, takes the tour, and closes. */
function visit({ tour }: Leg, host: Host, interrupted$: Observable<unknown>): Observable<LegEvent> {
  const givenUp$ = interrupted$.pipe(take(1), ignoreElements());
  // Who is first: an interruption ends the connecting, but once there is a client it only ends the tour.
  return race(connect(host.config), givenUp$).pipe(
    concatMap((client) =>
      merge(
        news(client, host),
        concat(
          tour(client, host).pipe(takeUntil(interrupted$)),
          defer(() => client.close()).pipe(ignoreElements()),
        ),
      ),
    ),
  );
}

/** What comes unasked, until the client is closed. */
function news(client: McpClient, { output$ }: Host): Observable<LegEvent> {
  const stderr$ = client.connection$.pipe(switchMap((connection) => connection?.stderr$?.pipe(lines()) ?? EMPTY));
  const closed$ = client.state$.pipe(last());
  return merge(
    client.logs$.pipe(map(({ level, logger, data }): LegEvent => ({ event: 'log', level, logger, data }))),
    client.wire$.pipe(
      filter(({ direction }) => direction === 'out'),
      map(({ message }) => message),
      filter(isNotification),
      filter(({ method }) => method === 'notifications/cancelled'),
      map(({ method, params }): LegEvent => ({ event: 'sent', method, requestId: params?.requestId })),
    ),
    merge(output$, stderr$).pipe(map((line): LegEvent => ({ event: 'output', line }))),
  ).pipe(takeUntil(closed$));
}
