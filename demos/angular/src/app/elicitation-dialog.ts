import { afterNextRender, Component, computed, ElementRef, input, viewChild } from '@angular/core';
import type { JsonObject, PendingElicitation } from 'rxjs-mcp';
import { SchemaForm } from './schema-form';

/** A question of a server to the person in front of the page. */
@Component({
  selector: 'app-elicitation-dialog',
  imports: [SchemaForm],
  template: `
    <dialog #dialog aria-labelledby="question" (cancel)="dismiss($event)">
      <p class="quiet">{{ server() }} asks</p>
      <h2 id="question">{{ question().params.message }}</h2>
      @if (url(); as url) {
        <p class="url">{{ url }}</p>
        <p class="hint">Opens in a new tab. Only go on if you know this address.</p>
        <div class="row">
          <a class="button primary" [href]="url" target="_blank" rel="noopener noreferrer" (click)="question().accept()">Open</a>
          <button type="button" (click)="question().decline()">Decline</button>
        </div>
      } @else {
        <app-schema-form [schema]="schema()" prefix="question" (submitted)="answer($event)">
          <button type="submit" class="primary">Answer</button>
          <button type="button" (click)="question().decline()">Decline</button>
        </app-schema-form>
      }
    </dialog>
  `,
})
export class ElicitationDialog {
  readonly question = input.required<PendingElicitation>();
  readonly server = input.required<string>();
  readonly dialog = viewChild.required<ElementRef<HTMLDialogElement>>('dialog');
  readonly schema = computed(() => (this.question().params as { requestedSchema?: JsonObject }).requestedSchema ?? {});
  /** What a server gives is opened only when it is an address of the web. */
  readonly url = computed(() => {
    const { url } = this.question().params as { url?: string };
    return url !== undefined && /^https?:\/\//.test(url) ? url : undefined;
  });

  constructor() {
    afterNextRender(() => this.dialog().nativeElement.showModal());
  }

  answer(content: JsonObject): void {
    this.question().accept(content as Parameters<PendingElicitation['accept']>[0]);
  }

  dismiss(event: Event): void {
    event.preventDefault(); // it goes when the question does
    this.question().cancel();
  }
}
