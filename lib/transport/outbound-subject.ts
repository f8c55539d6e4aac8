import { Subject } from 'rxjs';

/**
 * Takes messages from any source: that the source ends, well or not, is not
 * the end of the connection.
 */
// eslint-disable-next-line rxjs-x/no-subclass -- nothing of Subject's working is changed, two of its methods are left out
export class OutboundSubject<T> extends Subject<T> {
  override error(): void {
    // the source's own affair
  }

  override complete(): void {
    // others may still send
  }
}
