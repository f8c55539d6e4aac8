import { concat, filter, NEVER, takeUntil, using, type Observable, type Unsubscribable } from 'rxjs';
import type { McpClient } from './client.js';

/**
 * A client for as long as somebody is subscribed: emits it once it is ready,
 * closes it when unsubscribed, completes when it is closed.
 *
 * @throws as {@link McpClient.connect}
 */
export function whileSubscribed<C extends McpClient>(create: () => C): Observable<C> {
  const open = (): { readonly client: C } & Unsubscribable => {
    const client = create();
    return {
      client,
      unsubscribe: () => {
        void client.close();
      },
    };
  };
  return using(open, (resource) => {
    const { client } = resource as ReturnType<typeof open>;
    const closed$ = client.state$.pipe(filter(({ status }) => status === 'closed'));
    return concat(client.connect(), NEVER).pipe(takeUntil(closed$));
  });
}
