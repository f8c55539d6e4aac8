import { Component, computed, input, output } from '@angular/core';
import type { ContentBlock } from 'rxjs-mcp';
import type { Run } from './run';

/** One call: how far it is, and what came of it. */
@Component({
  selector: 'app-call-card',
  host: { role: 'group', '[attr.aria-label]': '"Call " + run().tool', '[attr.data-phase]': 'run().phase()' },
  template: `
    @let call = run();
    <header>
      <strong>{{ call.tool }}</strong>
      <span class="quiet">{{ call.server }}</span>
      <span class="push badge" [attr.data-tone]="tone()">{{ call.phase() }}</span>
      @if (call.phase() === 'running') {
        <button type="button" class="small" (click)="call.cancel()">Cancel</button>
      } @else {
        <button type="button" class="small bare" (click)="dismissed.emit()" [attr.aria-label]="'Dismiss call ' + call.tool">✕</button>
      }
    </header>
    <code class="args">{{ args() }}</code>
    @if (call.progress(); as progress) {
      <div class="progress">
        <progress [value]="progress.progress" [max]="progress.total ?? 1" [attr.aria-label]="'Progress of ' + call.tool"></progress>
        <span class="quiet">{{ progress.message ?? progress.progress + (progress.total ? ' of ' + progress.total : '') }}</span>
      </div>
    }
    @for (block of blocks(); track $index) {
      @switch (block.type) {
        @case ('text') {<pre tabindex="0" aria-label="Text">{{ text(block) }}</pre>}
        @case ('image') {<img [src]="image(block)" alt="Result of {{ call.tool }}" />}
        @default {<pre tabindex="0" aria-label="Content">{{ json(block) }}</pre>}
      }
    }
    @if (call.result()?.structuredContent; as structured) {
      <details open>
        <summary>Structured</summary>
        <pre tabindex="0" class="code" aria-label="Structured result">{{ json(structured) }}</pre>
      </details>
    }
    @if (call.error(); as error) {<p class="problem" role="alert">{{ error }}</p>}
  `,
})
export class CallCard {
  readonly run = input.required<Run>();
  readonly dismissed = output<void>();
  readonly args = computed(() => JSON.stringify(this.run().args));
  readonly blocks = computed(() => this.run().result()?.content ?? []);
  readonly tone = computed(() => ({ running: 'busy', done: 'good', failed: 'bad', cancelled: 'idle' })[this.run().phase()]);

  text(block: ContentBlock): string {
    return (block as { text: string }).text;
  }

  image(block: ContentBlock): string {
    const { mimeType, data } = block as { mimeType: string; data: string };
    return `data:${mimeType};base64,${data}`;
  }

  json(value: unknown): string {
    return JSON.stringify(value, null, 2);
  }
}
