import { lazyRouteComponent } from '@tanstack/react-router'
import { type ComponentType, lazy, useEffect } from 'react'
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

/** A dialog of the frame that is loaded when it is first opened; it fails as a page does. */
export const lazyDialog = <P>(load: () => Promise<ComponentType<P>>) =>
  lazy(async () => ({ default: await load().catch(missing) }))

/**
 * An invisible part of the frame, which is loaded after the first page is shown. If that fails, the
 * page stays, and the document is reloaded when the dashboard answers.
 */
export const lazyPart = (load: () => Promise<ComponentType>) =>
  lazy(async () => ({ default: await load().catch(() => MissingPart) }))

function MissingPart() {
  useWhenReachable(reloadOnce)
  return null
}

const AGAIN_MS = 5_000

/** Acts as soon as the dashboard answers. */
export function useWhenReachable(act: () => void): void {
  useEffect(() => {
    const timer = setInterval(async () => {
      if (await isReachable()) act()
    }, AGAIN_MS)
    return () => clearInterval(timer)
  }, [act])
}

async function missing(): Promise<never> {
  if (await isReachable()) reloadOnce()
  throw new ApiError(0, undefined)
}

/** A newer build has other files. */
function reloadOnce(): void {
  if (sessionStorage.getItem(KEY) === location.href) return
  sessionStorage.setItem(KEY, location.href)
  location.reload()
}

const TIMEOUT_MS = 5_000

/** Whether the dashboard answers. */
export async function isReachable(): Promise<boolean> {
  const response = fetch('/health', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) })
  return response.then(
    ({ ok }) => ok,
    () => false,
  )
}
