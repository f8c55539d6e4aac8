import { concat, concatMap, defer, of, type OperatorFunction } from 'rxjs';

/** Cuts text that comes in pieces into lines. */
export function lines(): OperatorFunction<string, string> {
  return (text$) =>
    defer(() => {
      let rest = '';
      const whole$ = text$.pipe(
        concatMap((piece) => {
          const [first = '', ...others] = piece.split(/\r?\n/);
          const complete = [rest + first, ...others];
          rest = complete.pop() ?? '';
          return complete;
        }),
      );
      return concat(whole$, defer(() => (rest === '' ? [] : of(rest))));
    });
}
