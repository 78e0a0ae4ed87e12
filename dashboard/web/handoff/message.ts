/** The message of the new tab once it listens. */
export const READY = 'handoff-ready'

/** The parameter of the address of the tab: the origin to which it may send a token. */
const TO = 'to'

/** The answer to it: a token, and the address of a site that takes it by POST. */
export interface Handoff {
  url: string
  token: string
}

export function isHandoff(value: unknown): value is Handoff {
  const { url, token } = Object(value) as Record<string, unknown>
  return typeof url === 'string' && URL.canParse(url) && typeof token === 'string'
}

/** The address of the tab for a token, whose policy allows this one origin only. */
export const addressFor = ({ url }: Pick<Handoff, 'url'>): string =>
  `/handoff?${new URLSearchParams({ [TO]: new URL(url).origin })}`

/** The origin in the address of the tab; null while it waits for one. */
export const originIn = (search: string): string | null => new URLSearchParams(search).get(TO)

/** Whether the tab may send a token there: to a site, and never to the dashboard itself. */
export function isAllowed(
  { url }: Pick<Handoff, 'url'>,
  place: Pick<Location, 'origin' | 'search'>,
): boolean {
  const { origin, protocol } = new URL(url)
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb && origin !== place.origin && origin === originIn(place.search)
}
