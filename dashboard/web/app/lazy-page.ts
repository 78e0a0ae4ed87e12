import { lazyRouteComponent } from '@tanstack/react-router'
import { ApiError } from '#dashboard/web/api/client.ts'

const KEY = 'reloaded'

/**
 * A page that is loaded when it is opened. The router would reload the whole document when that
 * fails, and the browser shows its own error when the dashboard is unavailable.
 */
export function lazyPage<M extends Record<string, unknown>, K extends keyof M & string>(
  load: () => Promise<M>,
  name: K,
) {
  return lazyRouteComponent(() => load().catch(missing), name)
}

/** A newer build has other files: then the document is reloaded, once. */
async function missing(): Promise<never> {
  const isThere = await isReachable()
  if (isThere && sessionStorage.getItem(KEY) !== location.href) {
    sessionStorage.setItem(KEY, location.href)
    location.reload()
  }
  throw new ApiError(0, undefined)
}

const LIMIT_MS = 5_000

/** Whether the dashboard answers. */
export async function isReachable(): Promise<boolean> {
  const response = fetch('/health', { cache: 'no-store', signal: AbortSignal.timeout(LIMIT_MS) })
  return response.then(
    ({ ok }) => ok,
    () => false,
  )
}
