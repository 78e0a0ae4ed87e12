import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { callSite, type SitePlace } from './site-call.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** The spans of the charts of a site, in hours: short ones by minute, longer ones by day. */
export const NUMBER_SPANS = { '1h': 1, '6h': 6, '30d': 720, '90d': 2160, '365d': 8760 } as const
export type NumberSpan = keyof typeof NUMBER_SPANS

const MINUTES_HOURS = 6

export const numbersQuery = (site: SitePlace, span: NumberSpan) =>
  queryOptions({
    queryKey: ['site', site.id, 'numbers', span],
    queryFn: async ({ signal }) => {
      const hours = NUMBER_SPANS[span]
      const unit = hours <= MINUTES_HOURS ? 'minute' : 'day'
      // A moment later than the oldest that is kept.
      const from = Date.now() - hours * HOUR_MS + MINUTE_MS
      // The last minute is complete, and known to the dashboard, a minute later.
      const to = unit === 'minute' ? Math.floor(Date.now() / MINUTE_MS - 1) * MINUTE_MS : Date.now()
      const [first, last] = [from, to].map((time) => new Date(time).toISOString())
      const query = { unit, from: first, to: last } as const
      return (await callSite(site, 'GET numbers', { query, signal })).numbers
    },
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
