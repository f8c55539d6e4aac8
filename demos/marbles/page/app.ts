import { animationFrames, asyncScheduler, catchError, EMPTY, filter, finalize, fromEvent, map, merge, Observable, startWith, Subject, switchMap, tap } from 'rxjs';
import type { McpClient } from '../../../lib/index.ts';
import { calling } from './calls.ts';
import { Controls } from './controls.ts';
import { byId, clicks, html } from './dom.ts';
import { Drawing } from './drawing.ts';
import { Exporting } from './exporting.ts';
import { FrameTimes } from './frames.ts';
import { History } from './history.ts';
import type { MarblesHandle } from './handle.ts';
import type { Offer } from './offer.ts';
import { Panel } from './panel.ts';
import { Pointing } from './pointing.ts';
import { offers, openSession } from './session.ts';
import { ToolForm } from './tool-form.ts';
import { View } from './view.ts';

/** Happenings that are kept when the address does not say (`?keep=5000`). */
const KEEP = 20_000;

const origin = performance.now();
const capacity = Number(new URLSearchParams(location.search).get('keep')) || KEEP;
const history = new History(capacity, asyncScheduler.now(), (happening) => {
  drawing.add(happening);
});
/** Milliseconds since the page was opened. */
const now = (): number => performance.now() - origin;
const plot = document.querySelector<SVGSVGElement>('#plot')!;
const view = new View();
const drawing = new Drawing(plot, history, view);
const frames = new FrameTimes();
const panel = new Panel();
const controls = new Controls(view, history, now, () => {
  drawing.rebuild();
});
new Pointing(plot, drawing, panel, view, controls, now);
new Exporting(history, view, now);

// One loop for all that moves.
animationFrames().subscribe(({ timestamp }) => {
  frames.tick(timestamp);
  drawing.frame(now());
  controls.frame(now());
  for (const [id, value] of Object.entries(counters())) write(id, value);
});

widths(plot).subscribe((width) => {
  view.widthPx = width;
  drawing.rebuild();
});

// The connection: the latest choice counts, and the one before is closed.
const form = new ToolForm();
const server = byId('server', HTMLSelectElement);
const address = byId('address', HTMLInputElement);
const chosen = new Subject<Offer | undefined>();
let known: readonly Offer[] = [];

offers().subscribe((all) => {
  known = all;
  server.replaceChildren(...all.map(({ name, about }, index) => html('option', { value: String(index) }, `${name} (${about})`)), html('option', { value: 'typed' }, 'Another…'));
  document.body.dataset.ready = 'true';
});
fromEvent(server, 'change')
  .pipe(startWith(undefined))
  .subscribe(() => {
    byId('address-field').hidden = server.value !== 'typed';
  });
fromEvent(byId('connection'), 'submit').subscribe((event) => {
  event.preventDefault();
  chosen.next(server.value === 'typed' ? typed(address.value.trim()) : known[Number(server.value)]);
});
clicks('disconnect').subscribe(() => {
  chosen.next(undefined);
});
chosen.pipe(switchMap((offer) => (offer === undefined ? EMPTY : session(offer)))).subscribe();
form.show([]);
tellState('idle', 'not connected');

/** A connection for as long as you are subscribed, with the calls that are made on it. */
function session(offer: Offer): Observable<unknown> {
  tellState('connecting', 'connecting …');
  document.body.dataset.connected = 'true';
  return openSession(offer, history).pipe(
    switchMap((client) => merge(introduce(client), form.orders$.pipe(calling(client)))),
    catchError((error: unknown) => {
      tellState('failed', error instanceof Error ? error.message : String(error));
      delete document.body.dataset.connected;
      return EMPTY;
    }),
    finalize(() => {
      form.show([]);
      if (document.body.dataset.connected !== undefined) tellState('idle', 'not connected');
      delete document.body.dataset.connected;
    }),
  );
}

function introduce(client: McpClient): Observable<unknown> {
  tellState('ready', `${client.serverInfo?.name ?? 'a server'} · ${client.protocolVersion ?? ''}`);
  const lost$ = client.state$.pipe(
    filter((state) => state.status === 'disconnected'),
    map((state): never => {
      throw state.cause;
    }),
  );
  const tools$ = client.capabilities?.tools === undefined ? EMPTY : client.listTools();
  return merge(lost$, tools$.pipe(tap((tools) => form.show(tools))));
}

function typed(url: string): Offer {
  return { name: url, about: '', type: /^wss?:/i.test(url) ? 'websocket' : 'http', url };
}

function tellState(status: string, text: string): void {
  const element = byId('state');
  element.dataset.status = status;
  element.textContent = text;
}

function widths(element: Element): Observable<number> {
  return new Observable((subscriber) => {
    const observer = new ResizeObserver(() => {
      subscriber.next(element.clientWidth);
    });
    observer.observe(element);
    return () => observer.disconnect();
  });
}

function counters() {
  return { received: history.ring.next, drawn: drawing.drawn, retained: history.ring.next - history.ring.first };
}

function write(id: string, value: number): void {
  const element = byId(id);
  const text = value.toLocaleString('en');
  if (element.textContent !== text) element.textContent = text;
}

// For programs that look at this page, and for the console.
const handle: MarblesHandle = {
  get frames() {
    return frames.figures();
  },
  get counters() {
    return { ...counters(), ...history.counts, elements: drawing.elements };
  },
  reset: () => frames.reset(),
  report: () => {
    console.table({ 'frame times (ms)': frames.figures() });
    console.table({ counters: handle.counters });
  },
};
Object.assign(globalThis, { marbles: handle });
