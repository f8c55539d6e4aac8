/** Runs a callback of the user's; what it throws, or rejects with, goes to `onError` and hurts nobody else. */
export function guarded<T>(callback: (value: T) => unknown, onError: (error: unknown) => void): (value: T) => void {
  return (value) => {
    try {
      const returned = callback(value);
      if (returned instanceof Promise) returned.catch(onError);
    } catch (error) {
      onError(error);
    }
  };
}
