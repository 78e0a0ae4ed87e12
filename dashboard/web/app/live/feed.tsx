import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isActive } from '#dashboard/web/api/operations.ts'
import { useFeed } from '#dashboard/web/api/use-events.ts'
import { FleetNews } from '#shared/operations/api/live.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'

/** Keeps the data of every page current with one stream; missed changes are requested again. */
export function Feed() {
  const client = useQueryClient()
  const [news] = useState(() => gather(client))
  useEffect(() => () => news.stop(), [news])
  useFeed(
    '/api/fleet/events',
    ({ data }) => {
      const read = FleetNews.safeParse(data)
      if (read.success) news.add(read.data)
    },
    () => void client.invalidateQueries(),
  )
  return null
}

/** How often running operations are drawn, and how often data is requested again. */
const SHOW_MS = 500
const REQUEST_MS = 1_000

/**
 * Gathers changes, so that many of them lead to one redraw and one request: fifty running
 * operations are not requested one by one.
 */
function gather(client: QueryClient) {
  const operations = new Map<string, OperationView>()
  const active = new Set<string>()
  const stale = new Map<string, readonly unknown[]>()
  const show = once(SHOW_MS, () => {
    showOperations(client, operations)
    operations.clear()
  })
  const request = once(REQUEST_MS, () => {
    for (const queryKey of stale.values()) void client.invalidateQueries({ queryKey })
    stale.clear()
  })
  const markStale = (key: readonly unknown[]) => {
    stale.set(JSON.stringify(key), key)
    request.soon()
  }
  /** Lists and counts change when an operation starts or ends. */
  const showOperation = (operation: OperationView) => {
    const { id } = operation
    const before = active.size
    if (isActive(operation)) active.add(id)
    else active.delete(id)
    if (active.size !== before || !isActive(operation)) markStale(['operations'])
    operations.set(id, operation)
    show.soon()
  }
  return {
    add(news: FleetNews) {
      for (const key of staleKeys(news)) markStale(key)
      if (news.kind === 'operation') showOperation(news.operation)
    },
    stop() {
      show.stop()
      request.stop()
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

/** Updates known operations to their current state. */
function showOperations(client: QueryClient, news: ReadonlyMap<string, OperationView>): void {
  for (const [id, operation] of news)
    client.setQueryData<OperationView>(['operations', id], (old) => old && operation)
  client.setQueriesData<OperationView[]>({ queryKey: ['operations', 'active'] }, (list) =>
    list?.map((each) => news.get(each.id) ?? each).filter(isActive),
  )
}

/** The keys of the queries that show the changed record. */
function staleKeys(news: FleetNews): readonly (readonly unknown[])[] {
  switch (news.kind) {
    case 'server':
      return [['fleet'], ['servers', news.id]]
    case 'site':
      return [
        ...(news.id === null ? [['site']] : [['site', news.id]]),
        ['sites'],
        ['fleet'],
        ['trash'],
        ['servers', news.server_id, 'sites'],
      ]
    case 'bulk':
      return [
        ['bulk', news.id, 'state'],
        ['bulk', 'recent'],
      ]
    case 'operation':
      return isActive(news.operation) ? [] : [['activity'], ['fleet'], ['backups']]
  }
}
