import { useInfiniteQuery } from '@tanstack/react-query'
import { type LogPage, type LogView, logLinesQuery } from '#dashboard/web/api/logs.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatBytes, formatNumber, formatTime } from '#dashboard/web/ui/format.ts'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { LogTable } from './log-table.tsx'
import { EMPTY_REASONS, SOURCE_NAMES } from './names.ts'

/** The lines of a log that match, newest first. */
export function Results({ site, view }: { site: SitePlace; view: LogView }) {
  const found = useInfiniteQuery(logLinesQuery(site, view))
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = found
  const pages = data?.pages ?? []
  const lines = pages.flatMap((page) => page.lines)
  return (
    <>
      <QueryState of={{ data, error: data ? undefined : error, refetch }} flush />
      {data && lines.length === 0 && !hasNextPage && <Nothing view={view} />}
      {lines.length > 0 && <LogTable lines={lines} label={SOURCE_NAMES[view.source]} />}
      {data && (
        <div className="flex flex-wrap items-center justify-between gap-2 px-4 py-2">
          <p role="status" className="text-xs text-muted">
            {summaryOf(pages, lines.length)}
          </p>
          {hasNextPage && (
            <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {lines.length > 0 ? 'Show older lines' : 'Search older lines'}
            </Button>
          )}
        </div>
      )}
      {data && error && <QueryState of={{ data: undefined, error, refetch }} flush />}
    </>
  )
}

function Nothing({ view }: { view: LogView }) {
  const isFiltered = view.text || view.level
  return (
    <p className="px-4 pt-4 text-muted">
      {isFiltered ? 'No line matches the filters.' : EMPTY_REASONS[view.source]}
    </p>
  )
}

function summaryOf(pages: readonly LogPage[], count: number): string {
  const bytes = pages.reduce((sum, { looked }) => sum + looked.bytes, 0)
  const unread = pages.reduce((sum, { looked }) => sum + looked.unread, 0)
  const oldest = pages.findLast(({ looked }) => looked.oldest_at !== null)?.looked.oldest_at
  const lines = `${formatNumber(count)} ${count === 1 ? 'line' : 'lines'}`
  const back = oldest ? `, back to ${formatTime(oldest)}` : ''
  const missing = unread > 0 ? `. ${unread} compressed files could not be read` : ''
  return `${lines} in ${formatBytes(bytes)}${back}${missing}`
}
