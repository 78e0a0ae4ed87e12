import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { LogLevel, LogSource } from '#shared/logs/site-logs.ts'
import type { DebugHours } from '#shared/wordpress/wp-debug.ts'
import { callSite, type SiteAnswer, type SitePlace, siteWork } from './site-call.ts'

/** What is shown of a log. */
export interface LogView {
  source: LogSource
  level?: LogLevel | undefined
  text?: string | undefined
  /** Hours back; undefined: everything that is kept. */
  hours?: number | undefined
}

export type LogPage = SiteAnswer<'GET logs/lines'>
export type LogLine = LogPage['lines'][number]
export type Fatal = SiteAnswer<'GET logs/fatals'>['groups'][number]

const HOUR_MS = 3_600_000
const PER_PAGE = 200

/** Read on the server, which may be offline: not retried, and not repeated automatically. */
const once = { retry: false, refetchInterval: false, refetchOnWindowFocus: false } as const

export const siteLogsQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'logs'],
    queryFn: ({ signal }) => callSite(site, 'GET logs', { signal }),
    ...once,
  })

/** Turns the debug log on for some hours; null turns it off. */
export const setDebugLog = (site: SitePlace, hours: DebugHours | null) =>
  siteWork(site, 'POST debug-log', { hours })

export const logLinesQuery = (site: SitePlace, view: LogView) =>
  infiniteQueryOptions({
    queryKey: ['site', site.id, 'log-lines', view],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam: before }) => {
      const query = { ...queryOf(view), limit: PER_PAGE, before }
      return callSite(site, 'GET logs/lines', { query, signal })
    },
    getNextPageParam: ({ next }: LogPage) => next ?? undefined,
    gcTime: 0,
    ...once,
  })

export const fatalsQuery = (site: SitePlace, days: number) =>
  queryOptions({
    queryKey: ['site', site.id, 'fatals', days],
    queryFn: ({ signal }) => callSite(site, 'GET logs/fatals', { query: { days }, signal }),
    ...once,
  })

function queryOf({ source, level, text, hours }: LogView) {
  const since = hours === undefined ? undefined : Date.now() - hours * HOUR_MS
  return {
    source,
    level,
    text: text || undefined,
    since: since === undefined ? undefined : new Date(since).toISOString(),
  }
}

function addressOf(site: SitePlace, kind: 'events' | 'download', query: object): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined)
  return `/api/servers/${site.server_id}/sites/${site.id}/logs/${kind}?${new URLSearchParams(entries)}`
}

/** Returns the address of a live view, which begins now and so has no period. */
export function liveAddress(site: SitePlace, view: LogView): string {
  const { since: _, ...query } = queryOf(view)
  return addressOf(site, 'events', query)
}

export const downloadAddress = (site: SitePlace, view: LogView) =>
  addressOf(site, 'download', queryOf(view))
