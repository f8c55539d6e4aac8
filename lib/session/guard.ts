/** Runs a callback of the user's; what it throws goes to `onError` and hurts nobody else. */
export function guarded<A extends unknown[]>(callback: (...args: A) => void, onError: (error: unknown) => void): (...args: A) => void {
  return (...args) => {
    try {
      callback(...args);
    } catch (error) {
      onError(error);
    }
  };
}
