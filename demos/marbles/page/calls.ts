import { catchError, EMPTY, finalize, fromEvent, mergeMap, Observable, takeUntil, tap } from 'rxjs';
import type { CallEvent, CallToolResult, McpClient } from '../../../lib/index.ts';
import { byId, html } from './dom.ts';
import type { Order } from './tool-form.ts';

/** Rows that are kept of calls that are over. */
const KEPT = 4;

/** Makes the calls, side by side; each has a row with its progress and, while it runs, a button that cancels it. */
export const calling = (client: McpClient) => mergeMap((order: Order) => callInRow(client, order));

function callInRow(client: McpClient, { tool, args, timeoutMs }: Order): Observable<unknown> {
  return new Observable((subscriber) => {
    const row = new CallRow(tool);
    return client
      .callTool(tool, args, { observe: 'events', timeoutMs })
      .pipe(
        tap((event) => row.tell(event)),
        catchError((error: unknown) => {
          row.end('failed', error instanceof Error ? error.message : String(error));
          return EMPTY;
        }),
        finalize(() => row.end('cancelled', 'cancelled')),
        takeUntil(row.cancelled$),
      )
      .subscribe(subscriber);
  });
}

class CallRow {
  readonly #said = html('span', { class: 'said' }, 'sent');
  readonly #bar = html('progress', { 'aria-label': 'Progress', max: '1', value: '0' });
  readonly #cancel: HTMLButtonElement;
  readonly #row: HTMLElement;
  readonly cancelled$: Observable<Event>;
  #isOver = false;

  constructor(tool: string) {
    this.#cancel = html('button', { type: 'button', class: 'small' }, 'Cancel');
    this.#cancel.setAttribute('aria-label', `Cancel ${tool}`);
    this.cancelled$ = fromEvent(this.#cancel, 'click');
    this.#row = html('li', { class: 'call' }, html('span', { class: 'tool' }, tool), this.#said, this.#cancel, this.#bar);
    const list = byId('calls');
    list.prepend(this.#row);
    for (const old of [...list.querySelectorAll('li.over')].slice(KEPT)) old.remove();
  }

  tell(event: CallEvent<CallToolResult>): void {
    if (event.type === 'progress') {
      const { progress, total = 0, message } = event.progress;
      this.#said.textContent = message ?? (total > 0 ? `${progress.toLocaleString('en')} / ${total.toLocaleString('en')}` : String(progress));
      if (total > 0) this.#bar.value = progress / total;
    } else if (event.type === 'result') {
      const [first] = event.result.content;
      this.end(event.result.isError === true ? 'failed' : 'done', first?.type === 'text' ? first.text : 'done');
    }
  }

  /** Only the first end counts. */
  end(how: 'done' | 'failed' | 'cancelled', said: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (document.activeElement === this.#cancel) byId('call').focus();
    this.#said.textContent = said;
    this.#cancel.remove();
    this.#bar.remove();
    this.#row.classList.add('over', how);
  }
}
