import { switchMap, throwError } from 'rxjs';
import { RedirectError } from '../errors.js';
import { withoutSecrets } from './fetch-handler.js';
import type { HttpHandler, HttpInterceptor } from './http-handler.js';

/** How many redirects in a row are followed. */
const MAX_REDIRECTS = 5;

/**
 * Follows 307 and 308 within the same origin; everything else is an error.
 * Credentials in headers never leave the origin they were configured for, and
 * a POST never turns into a GET.
 *
 * @throws {@link RedirectError} a redirect that is not followed.
 */
export function followRedirects(limit = MAX_REDIRECTS): HttpInterceptor {
  const follow = (left: number, next: HttpHandler): HttpHandler => (request) =>
    next(request).pipe(
      switchMap((response) => {
        const { status, headers } = response;
        const hidden = status === 0;
        const location = headers.get('location') ?? undefined;
        if (!hidden && (status < 301 || status > 308 || status === 304)) return [response];
        const refuse = (why: string) =>
          throwError(() => new RedirectError(withoutSecrets(request.url), location && withoutSecrets(location), hidden ? undefined : status, why));
        if (hidden) return refuse('the browser hides where it leads; use the final URL');
        if (location === undefined) return refuse(`the answer ${status} has no Location header`);
        if (status !== 307 && status !== 308) return refuse(`${status} does not keep method and body; use the final URL`);
        const target = resolve(location, request.url);
        if (target === undefined) return refuse('its Location is not a URL');
        if (target.origin !== new URL(request.url).origin) return refuse('it leads to another origin; use the final URL');
        if (left === 0) return refuse(`more than ${limit} redirects in a row`);
        return follow(left - 1, next)({ ...request, url: target.href });
      }),
    );
  return (request, next) => follow(limit, next)(request);
}

function resolve(location: string, base: string): URL | undefined {
  try {
    return new URL(location, base);
  } catch {
    return undefined;
  }
}
