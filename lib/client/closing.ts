import { filter, map, type Observable } from 'rxjs';
import { ConnectionClosedError } from '../errors.js';
import type { McpClient } from './client.js';

/** Errors when the client is closed: for waits between requests, when there is no request that would. */
export function closingOf(client: McpClient): Observable<never> {
  return client.state$.pipe(
    filter(({ status }) => status === 'closed'),
    map(() => {
      throw new ConnectionClosedError();
    }),
  );
}
