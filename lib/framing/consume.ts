import { filter, type OperatorFunction } from 'rxjs';

/** Hands every value to `read` and emits none; errors and completion pass. */
export function consume<T>(read: (value: T) => void): OperatorFunction<T, never> {
  return filter((value): value is never => {
    read(value);
    return false;
  });
}
