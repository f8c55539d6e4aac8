/** Runs a callback of the user's; what it throws, or rejects with, goes to `onError` and hurts nobody else. */
export function guarded<A extends unknown[]>(callback: (...args: A) => unknown, onError: (error: unknown) => void): (...args: A) => void {
  return (...args) => {
    try {
      const returned = callback(...args);
      if (returned instanceof Promise) returned.catch(onError);
    } catch (error) {
      onError(error);
    }
  };
}
