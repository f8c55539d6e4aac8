import { concat, EMPTY, filter, ignoreElements, map, Observable, share, switchMap, timer } from 'rxjs';
import type { Connection } from '../../session/connection.js';
import { Current } from '../../transport/current.js';
import { EmitQueue } from '../../transport/emit-queue.js';
import type { McpClient } from '../client.js';
import { listening, type ListenSignal } from '../listening.js';

/**
 * Lets the server announce the states of tasks, all that somebody follows in
 * one `subscriptions/listen` request. The announcements are notifications like
 * any other.
 *
 * @see SEP-2663, "Task Status Notifications"
 */
export class TaskListener {
  readonly #followed: string[] = [];
  readonly #taskIds = new Current<readonly string[]>([], new EmitQueue());
  readonly #signals$: Observable<ListenSignal>;

  constructor(client: McpClient) {
    const listen = (connection: Connection | undefined, taskIds: readonly string[]) =>
      connection === undefined || taskIds.length === 0
        ? EMPTY
        : concat(timer(0).pipe(ignoreElements()), listening(connection, { taskIds: [...taskIds] })); // what begins in one go is asked for in one
    this.#signals$ = client.connection$.pipe(
      switchMap((connection) => this.#taskIds.value$.pipe(switchMap((taskIds) => listen(connection, taskIds)))),
      share(),
    );
  }

  /** Whether the server announces this task from now on; true again after anything could have been missed. */
  announces(taskId: string): Observable<boolean> {
    return new Observable((subscriber) => {
      const announced$ = this.#signals$.pipe(
        filter((signal) => signal.type !== 'changed'),
        map((signal) => signal.type === 'open' && signal.honoured.taskIds?.includes(taskId) === true),
      );
      announced$.subscribe(subscriber);
      this.#followed.push(taskId);
      this.#tell();
      return () => {
        this.#followed.splice(this.#followed.indexOf(taskId), 1);
        this.#tell();
      };
    });
  }

  #tell(): void {
    this.#taskIds.next([...new Set(this.#followed)]);
  }
}
