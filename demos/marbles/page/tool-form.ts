import { filter, fromEvent, map, type Observable } from 'rxjs';
import { isObject, type JsonObject, type Tool } from '../../../lib/index.ts';
import { byId, html } from './dom.ts';
import { sampleArguments } from './sample.ts';

/** A call that the user asks for. */
export interface Order {
  readonly tool: string;
  readonly args: JsonObject;
  readonly timeoutMs: number;
}

/** The tools to choose from, and what to call them with. */
export class ToolForm {
  readonly #list = byId('tools');
  readonly #args = byId('args', HTMLTextAreaElement);
  readonly #deadline = byId('deadline', HTMLInputElement);
  readonly #problem = byId('args-problem');
  readonly #about = byId('tool-about');
  readonly #call = byId('call', HTMLButtonElement);
  #tools: readonly Tool[] = [];

  /** Each call as it is asked for. */
  readonly orders$: Observable<Order>;

  constructor() {
    this.orders$ = fromEvent(byId('tool-form'), 'submit').pipe(
      map((event) => {
        event.preventDefault();
        return this.#order();
      }),
      filter((order) => order !== undefined),
    );
    fromEvent(this.#list, 'change').subscribe(() => {
      this.#choose();
    });
  }

  show(tools: readonly Tool[]): void {
    this.#tools = tools;
    this.#list.replaceChildren(
      ...tools.map(({ name }, index) => {
        const radio = html('input', { type: 'radio', name: 'tool', value: name });
        radio.checked = index === 0;
        return html('label', {}, radio, html('span', {}, name));
      }),
    );
    if (tools.length === 0) this.#list.append(html('p', { class: 'quiet' }, 'No tools yet: connect to a server.'));
    this.#choose();
  }

  #chosen(): Tool | undefined {
    const name = this.#list.querySelector<HTMLInputElement>('input:checked')?.value;
    return this.#tools.find((tool) => tool.name === name);
  }

  #choose(): void {
    const tool = this.#chosen();
    this.#call.disabled = tool === undefined;
    this.#about.textContent = tool?.description ?? '';
    this.#args.value = tool === undefined ? '' : JSON.stringify(sampleArguments(tool.inputSchema), null, 1).replace(/\n */g, ' ');
    this.#complain('');
  }

  #order(): Order | undefined {
    const tool = this.#chosen();
    const args = parsed(this.#args.value);
    this.#complain(args === undefined ? 'The arguments must be a JSON object.' : '');
    if (tool === undefined || args === undefined) return undefined;
    return { tool: tool.name, args, timeoutMs: Number(this.#deadline.value) * 1_000 || 30_000 };
  }

  #complain(text: string): void {
    this.#problem.textContent = text;
    this.#args.setAttribute('aria-invalid', String(text !== ''));
  }
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
