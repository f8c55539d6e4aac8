import { fromEvent, map, type Observable } from 'rxjs';

/** The element of the page with this id. */
export function byId(id: string): HTMLElement;
export function byId<E extends HTMLElement>(id: string, type: new () => E): E;
export function byId(id: string, type: new () => HTMLElement = HTMLElement): HTMLElement {
  const element = document.getElementById(id);
  if (element instanceof type) return element;
  throw new Error(`The page has no ${type.name} #${id}`);
}

/** A new element with its text and attributes. */
export function html<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Readonly<Record<string, string>> = {}, ...content: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...content);
  return element;
}

export const clicks = (id: string): Observable<void> => fromEvent(byId(id), 'click').pipe(map(() => undefined));
