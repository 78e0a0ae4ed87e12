import type { QueryClient } from '@tanstack/react-query'
import { isActive } from '#dashboard/web/api/operations.ts'
import type { FleetNews } from '#shared/api/live.ts'
import type { OperationView } from '#shared/api/operations.ts'
import { showOperations } from './operation-news.ts'
import { staleKeys } from './stale-keys.ts'

/** How often running operations are drawn, and how often data is requested again. */
const SHOW_MS = 500
const ASK_MS = 1_000

/**
 * Gathers changes, so that many of them lead to one redraw and one request: fifty running
 * operations are not requested one by one.
 */
export function gather(client: QueryClient) {
  const operations = new Map<string, OperationView>()
  const active = new Set<string>()
  const stale = new Map<string, readonly unknown[]>()
  const show = once(SHOW_MS, () => {
    showOperations(client, operations)
    operations.clear()
  })
  const ask = once(ASK_MS, () => {
    for (const queryKey of stale.values()) void client.invalidateQueries({ queryKey })
    stale.clear()
  })
  const forget = (key: readonly unknown[]) => {
    stale.set(JSON.stringify(key), key)
    ask.soon()
  }
  /** Lists and counts change when an operation starts or ends. */
  const hearOperation = (operation: OperationView) => {
    const { id } = operation
    const before = active.size
    if (isActive(operation)) active.add(id)
    else active.delete(id)
    if (active.size !== before || !isActive(operation)) forget(['operations'])
    operations.set(id, operation)
    show.soon()
  }
  return {
    hear(news: FleetNews) {
      for (const key of staleKeys(news)) forget(key)
      if (news.kind === 'operation') hearOperation(news.operation)
    },
    stop() {
      show.stop()
      ask.stop()
    },
  }
}

/** Runs once, some time after the first request, for all requests until then. */
function once(ms: number, act: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const go = () => {
    timer = undefined
    act()
  }
  return {
    soon: () => {
      timer ??= setTimeout(go, ms)
    },
    stop: () => {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
