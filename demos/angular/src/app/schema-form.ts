import { Component, computed, effect, input, output, signal, untracked } from '@angular/core';
import type { JsonObject } from 'rxjs-mcp';

interface Field {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly isRequired: boolean;
  readonly isInteger: boolean;
  readonly initial: string;
}

/** A form made from a JSON schema of an object: what is no simple value is written as JSON. */
@Component({
  selector: 'app-schema-form',
  template: `
    <form (submit)="submit($event)" novalidate>
      @for (field of fields(); track field.name) {
        <div class="field" [class.check]="field.kind === 'boolean'">
          @let id = prefix() + '-' + field.name;
          @let problem = problems()[field.name];
          <label [for]="id">{{ field.label }} @if (!field.isRequired && field.kind !== 'boolean') {<span class="quiet">optional</span>}</label>
          @switch (field.kind) {
            @case ('boolean') {
              <input type="checkbox" [id]="id" [checked]="texts()[field.name] === 'true'" (change)="set(field.name, checked($event))" />
            }
            @case ('choice') {
              <select [id]="id" (change)="set(field.name, value($event))" [attr.aria-describedby]="id + '-hint'">
                @if (!field.isRequired) {<option value="">–</option>}
                @for (choice of field.choices; track choice.value) {
                  <option [value]="choice.value" [selected]="texts()[field.name] === choice.value">{{ choice.label }}</option>
                }
              </select>
            }
            @case ('json') {
              <textarea [id]="id" rows="3" spellcheck="false" class="code" [value]="texts()[field.name] ?? ''" (input)="set(field.name, value($event))" [attr.aria-invalid]="problem ? true : null" [attr.aria-describedby]="id + '-hint'"></textarea>
            }
            @default {
              <input [id]="id" [type]="field.kind === 'number' ? 'number' : 'text'" [attr.step]="field.isInteger ? 1 : 'any'" autocomplete="off" [value]="texts()[field.name] ?? ''" (input)="set(field.name, value($event))" [attr.aria-invalid]="problem ? true : null" [attr.aria-describedby]="id + '-hint'" />
            }
          }
          <p class="hint" [id]="id + '-hint'" [class.problem]="problem">{{ problem ?? field.description }}</p>
        </div>
      } @empty {
        <p class="quiet">Takes no arguments.</p>
      }
      <div class="row"><ng-content /></div>
    </form>
  `,
})
export class SchemaForm {
  readonly schema = input.required<JsonObject>();
  /** Of the ids, unique in the page. */
  readonly prefix = input.required<string>();
  readonly submitted = output<JsonObject>();

  readonly fields = computed(() => fieldsOf(this.schema()));
  readonly texts = signal<Readonly<Record<string, string>>>({});
  readonly problems = signal<Readonly<Record<string, string>>>({});

  constructor() {
    effect(() => {
      const fields = this.fields();
      untracked(() => {
        this.texts.set(Object.fromEntries(fields.map(({ name, initial }) => [name, initial])));
        this.problems.set({});
      });
    });
  }

  set(name: string, text: string): void {
    this.texts.update((before) => ({ ...before, [name]: text }));
    if (this.problems()[name] !== undefined) this.problems.update(({ [name]: _, ...others }) => others);
  }

  value(event: Event): string {
    return (event.target as HTMLInputElement).value;
  }

  checked(event: Event): string {
    return String((event.target as HTMLInputElement).checked);
  }

  submit(event: Event): void {
    event.preventDefault();
    const values: JsonObject = {};
    const problems: Record<string, string> = {};
    for (const field of this.fields()) {
      const text = this.texts()[field.name] ?? '';
      try {
        const value = read(field, text);
        if (value !== undefined) values[field.name] = value;
      } catch (error) {
        problems[field.name] = (error as Error).message;
      }
    }
    this.problems.set(problems);
    const [wrong] = Object.keys(problems);
    if (wrong === undefined) this.submitted.emit(values);
    else document.getElementById(`${this.prefix()}-${wrong}`)?.focus();
  }
}

function fieldsOf(schema: JsonObject): Field[] {
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  return Object.entries((schema['properties'] ?? {}) as Record<string, JsonObject>).map(([name, property]) => {
    const { type, title, description = '', default: initial } = property as { type?: string; title?: string; description?: string; default?: unknown };
    const choices = choicesOf(property);
    const kind = choices.length > 0 ? 'choice' : type === 'boolean' ? 'boolean' : type === 'number' || type === 'integer' ? 'number' : type === 'string' ? 'text' : 'json';
    const isRequired = required.has(name);
    const first = kind === 'choice' && isRequired ? (choices[0]?.value ?? '') : '';
    return {
      name,
      label: title ?? name,
      description,
      kind,
      choices,
      isRequired,
      isInteger: type === 'integer',
      initial: initial === undefined ? first : typeof initial === 'object' ? JSON.stringify(initial) : String(initial),
    };
  });
}

function choicesOf(property: JsonObject): { value: string; label: string }[] {
  const { enum: values, enumNames, oneOf, type } = property as { enum?: unknown[]; enumNames?: string[]; oneOf?: { const?: unknown; title?: string }[]; type?: string };
  if (type === 'array') return [];
  if (values !== undefined) return values.map((value, index) => ({ value: String(value), label: enumNames?.[index] ?? String(value) }));
  return (oneOf ?? []).flatMap(({ const: value, title }) => (value === undefined ? [] : [{ value: String(value), label: title ?? String(value) }]));
}

/** @throws Error what is wrong, for the person who wrote it. */
function read({ kind, isRequired, isInteger }: Field, text: string): unknown {
  if (kind === 'boolean') return text === 'true';
  if (text.trim() === '') {
    if (isRequired) throw new Error('Needed');
    return undefined;
  }
  if (kind === 'number') {
    const value = Number(text);
    if (Number.isNaN(value)) throw new Error('Not a number');
    if (isInteger && !Number.isInteger(value)) throw new Error('Not a whole number');
    return value;
  }
  if (kind !== 'json') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('Not JSON');
  }
}
