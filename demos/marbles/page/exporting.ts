import { fromEvent } from 'rxjs';
import { belongsTo, codeOf, diagramOf, MAX_MARKS, type Choice } from './diagram.ts';
import { byId, clicks, html } from './dom.ts';
import type { History } from './history.ts';
import { LANES } from './lanes.ts';
import { recordingOf } from './recording.ts';
import type { View } from './view.ts';

/** Requests that are offered, the latest first. */
const OFFERED = 20;

/** Takes what is in sight along: as a diagram for a spec, or all that is kept as a recording. */
export class Exporting {
  readonly #history: History;
  readonly #view: View;
  readonly #now: () => number;
  readonly #dialog = byId('export-dialog', HTMLDialogElement);
  readonly #choice = byId('export-lane', HTMLSelectElement);
  readonly #text = byId('export-text', HTMLTextAreaElement);
  readonly #note = byId('export-note');
  #choices: readonly { readonly title: string; readonly choice: Choice }[] = [];
  #endMs = 0;
  #startMs = 0;

  constructor(history: History, view: View, now: () => number) {
    this.#history = history;
    this.#view = view;
    this.#now = now;
    clicks('export').subscribe(() => this.#open());
    clicks('export-close').subscribe(() => this.#dialog.close());
    clicks('export-copy').subscribe(() => void this.#copy());
    clicks('download').subscribe(() => this.#download());
    fromEvent(this.#choice, 'change').subscribe(() => this.#write());
  }

  #open(): void {
    this.#startMs = this.#view.startMs(this.#now());
    this.#endMs = this.#view.endMs(this.#now());
    const inSight = this.#history.requests.all.filter(({ startMs, endMs = Infinity }) => startMs <= this.#endMs && endMs >= this.#startMs);
    this.#choices = [
      ...LANES.filter(({ title }) => title.endsWith('$')).map(({ id, title }) => ({ title, choice: { lane: id } })),
      ...inSight.slice(-OFFERED).reverse().map((request) => ({ title: `request ${request.title}`, choice: { request } })),
    ];
    this.#choice.replaceChildren(...this.#choices.map(({ title }, index) => html('option', { value: String(index) }, title)));
    this.#write();
    this.#dialog.showModal();
  }

  #write(): void {
    const chosen = this.#choices[Number(this.#choice.value)];
    if (chosen === undefined) return;
    const { ring } = this.#history;
    // All of a request, wherever it began; of a lane what is in sight.
    const isInSight = ({ ms }: { ms: number }): boolean => 'request' in chosen.choice || (ms >= this.#startMs && ms <= this.#endMs);
    const all = [...ring.between(ring.first, ring.next)].filter(isInSight).filter(belongsTo(chosen.choice));
    const diagram = diagramOf(all.slice(-MAX_MARKS), chosen.choice);
    this.#text.value = codeOf(diagram, 'request' in chosen.choice ? 'result' : chosen.title.replace('$', ''));
    const left = all.length > MAX_MARKS ? `the last ${MAX_MARKS} of ${all.length.toLocaleString('en')} marks` : `${all.length} ${all.length === 1 ? 'mark' : 'marks'}`;
    this.#note.textContent = `${left}, one frame a millisecond${diagram.movedMs > 0 ? `; some moved by up to ${diagram.movedMs} ms, as a group takes more than one frame` : ''}`;
  }

  async #copy(): Promise<void> {
    this.#text.select();
    await navigator.clipboard.writeText(this.#text.value).then(
      () => (this.#note.textContent = 'Copied'),
      () => (this.#note.textContent = 'The browser does not allow it: the text is selected, copy it with the keyboard'),
    );
  }

  #download(): void {
    const { ring } = this.#history;
    const url = URL.createObjectURL(new Blob([recordingOf(ring.between(ring.first, ring.next))], { type: 'application/json' }));
    html('a', { href: url, download: 'recording.json' }).click();
    URL.revokeObjectURL(url);
  }
}
