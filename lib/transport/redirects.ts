import { switchMap } from 'rxjs';
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
        const isRedirect = status === 0 || (status >= 301 && status <= 308 && status !== 304);
        if (!isRedirect) return [response];
        const location = headers.get('location') ?? undefined;
        const target = location === undefined ? undefined : resolve(location, request.url);
        const refusal = left === 0 ? `more than ${limit} in a row` : whyNot(status, request.url, target);
        // The body stays unread, and ends with the exchange.
        if (target !== undefined && refusal === undefined) return follow(left - 1, next)({ ...request, url: target.href });
        throw new RedirectError(withoutSecrets(request.url), location && withoutSecrets(location), status, `${refusal}; use the final URL`);
      }),
    );
  return (request, next) => follow(limit, next)(request);
}

/** Why a redirect is not followed, if it is not. */
function whyNot(status: number, from: string, to: URL | undefined): string | undefined {
  if (status === 0) return 'the browser hides where it leads';
  if (to === undefined) return 'its Location is missing or not a URL';
  if (status < 307) return `${status} keeps neither method nor body`;
  return to.origin === new URL(from).origin ? undefined : 'it leads to another origin';
}

function resolve(location: string, base: string): URL | undefined {
  try {
    return new URL(location, base);
  } catch {
    return undefined;
  }
}
