import type { QueryClient } from '@tanstack/react-query'
import { isActive } from '#dashboard/web/api/operations.ts'
import type { FleetNews } from '#shared/api/live.ts'
import type { OperationView } from '#shared/api/operations.ts'
import { showOperations } from './operation-news.ts'
import { staleKeys } from './stale-keys.ts'

/** Operations that go on are shown this often, and what is asked for again is asked this often. */
const SHOW_MS = 500
const ASK_MS = 1_000

/**
 * Gathers news, so that many of them are one change of what is shown and one question each: fifty
 * operations that go on are not asked for one by one.
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
  /** Lists and counts are others once one begins or ends. */
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

/** Does it some time after the first wish, for all wishes until then. */
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
