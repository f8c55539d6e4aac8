import { AsyncSubject, Observable, Subject } from 'rxjs';
import type { ElicitParams } from '../../wire/mcp/elicitation.js';
import type { Call } from '../feature.js';
import type { ElicitDecision, FormContent } from './form-defaults.js';

/** A question to the user that waits for an answer. The first answer counts. @public */
export interface PendingElicitation {
  /** What is asked; narrow by `mode`. */
  readonly params: ElicitParams;
  /** The call that needs the answer, where the server says so: since 2026-07-28. */
  readonly origin: Call | undefined;
  /** Emits once when the question is over: it was answered, or nobody needs the answer any more. Replayed. */
  readonly ended$: Observable<'answered' | 'withdrawn'>;
  /** The user agrees. Fields that `content` leaves out get their defaults. */
  accept(content?: FormContent): void;
  /** The user says no. */
  decline(): void;
  /** The user walks away. */
  cancel(): void;
}

/** Questions as a stream, for a UI. One that nobody listens to is cancelled. */
export class PendingElicitations {
  readonly #questions = new Subject<PendingElicitation>();
  readonly pending$ = this.#questions.asObservable();

  /** Cold: asks when subscribed, withdraws the question when unsubscribed. */
  ask(params: ElicitParams, origin: Call | undefined): Observable<ElicitDecision> {
    return new Observable((subscriber) => {
      const ended = new AsyncSubject<'answered' | 'withdrawn'>();
      const end = (how: 'answered' | 'withdrawn'): void => {
        ended.next(how);
        ended.complete(); // the first end counts
      };
      const answer = (decision: ElicitDecision): void => {
        end('answered');
        subscriber.next(decision);
        subscriber.complete();
      };
      subscriber.add(() => {
        end('withdrawn');
      });
      if (!this.#questions.observed) {
        answer({ action: 'cancel' });
        return;
      }
      this.#questions.next({
        params,
        origin,
        ended$: ended.asObservable(),
        accept: (content) => {
          answer({ action: 'accept', content });
        },
        decline: () => {
          answer({ action: 'decline' });
        },
        cancel: () => {
          answer({ action: 'cancel' });
        },
      });
    });
  }
}
