import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Download, Pause, Play, RotateCw } from 'lucide-react'
import { useState } from 'react'
import {
  downloadAddress,
  type Fatal,
  fatalsQuery,
  type LogPage,
  type LogView,
  liveAddress,
  logLinesQuery,
  setDebugLog,
  siteLogsQuery,
} from '#dashboard/web/api/logs.ts'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { isWordpress } from '#dashboard/web/features/sites/urls.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button, ButtonAnchor } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Select, SelectField, selectProps } from '#dashboard/web/ui/field.tsx'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { formatBytes, formatCount, formatNumber, formatTime } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { SearchInput } from '#dashboard/web/ui/search-input.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { Failure, QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { LOG_LEVELS, LOG_SOURCES, type LogLevel, type LogSource } from '#shared/logs/site-logs.ts'
import { DEBUG_HOURS, DEFAULT_DEBUG_HOURS, type DebugHours } from '#shared/wordpress/wp-debug.ts'
import { LogTable } from './log-table.tsx'
import { EMPTY_REASONS, LEVELS, PARTS, PERIODS, SOURCE_NAMES } from './names.ts'
import { useLive } from './use-live.ts'

const TYPING_MS = 400

type Way = 'search' | 'live'
const WAYS = [
  { value: 'search', name: 'Search' },
  { value: 'live', name: 'Live' },
] as const

/** What the programs of a site wrote, and what broke it. */
export function LogsTab({ site }: { site: Site }) {
  const [view, setView] = useState<LogView>({ source: 'access', hours: 24 })
  const [way, setWay] = useState<Way>('search')
  /** Searches again. */
  const [turn, setTurn] = useState(0)
  const change = (part: Partial<LogView>) => setView((before) => ({ ...before, ...part }))
  return (
    <>
      <FatalsCard site={site} />
      {isWordpress(site) && <DebugCard site={site} />}
      <Card
        title="Logs"
        flush
        actions={
          <>
            {way === 'search' && (
              <Button kind="quiet" icon={<RotateCw />} onClick={() => setTurn(turn + 1)}>
                Search again
              </Button>
            )}
            <ButtonAnchor needs="operate" href={downloadAddress(site, view)} download>
              <Download />
              Download log
            </ButtonAnchor>
          </>
        }
      >
        <div className="flex flex-wrap items-center gap-2 px-4 py-3">
          <SourceSelect site={site} value={view.source} onChange={(source) => change({ source })} />
          <LevelSelect value={view.level} onChange={(level) => change({ level })} />
          {way === 'search' && (
            <PeriodSelect value={view.hours} onChange={(hours) => change({ hours })} />
          )}
          <SearchInput
            name="Search in the log"
            value={view.text ?? ''}
            onChange={(text) => change({ text: text.slice(0, 200) })}
            pause_ms={TYPING_MS}
            className="min-w-48 flex-1"
          />
          <Segments label="How the log is shown" choices={WAYS} value={way} onChange={setWay} />
        </div>
        {way === 'live' ? (
          <Live site={site} view={view} />
        ) : (
          <Results key={turn} site={site} view={view} />
        )}
      </Card>
    </>
  )
}

interface SelectProps<T> {
  value: T
  onChange: (value: T) => void
}

/** With the size of each log, when it is known. */
function SourceSelect({ site, ...props }: SelectProps<LogSource> & { site: Site }) {
  const { data } = useQuery(siteLogsQuery(site))
  const nameOf = (source: LogSource) => {
    const bytes = data?.logs.find((log) => log.source === source)?.bytes
    return bytes == null ? SOURCE_NAMES[source] : `${SOURCE_NAMES[source]} (${formatBytes(bytes)})`
  }
  const options = LOG_SOURCES.map((value) => ({ value, name: nameOf(value) }))
  return (
    <Select aria-label="Log" className="w-auto! max-w-64" {...selectProps({ ...props, options })} />
  )
}

function LevelSelect({ value, onChange }: SelectProps<LogLevel | undefined>) {
  const options = LOG_LEVELS.filter((level) => level !== 'info').map((level) => ({
    value: level,
    name: level === 'fatal' ? 'Only fatal' : `From ${LEVELS[level].name}`,
  }))
  return (
    <FilterSelect
      name="All levels"
      value={value}
      options={options}
      onChange={(chosen) => onChange(LOG_LEVELS.find((level) => level === chosen))}
    />
  )
}

function PeriodSelect({ value, onChange }: SelectProps<number | undefined>) {
  return (
    <FilterSelect
      name="All that is kept"
      value={value}
      options={PERIODS}
      onChange={(hours) => onChange(hours === undefined ? hours : Number(hours))}
    />
  )
}

const STATES: Record<ReturnType<typeof useLive>['connection'], { tone: Tone; text: string }> = {
  connecting: { tone: 'busy', text: 'connecting' },
  live: { tone: 'good', text: 'live' },
  disconnected: { tone: 'warn', text: 'disconnected: connecting again' },
  ended: { tone: 'plain', text: 'ended' },
}

/** New lines of a log as they are written. */
function Live({ site, view }: { site: SitePlace; view: LogView }) {
  const [isPaused, setPaused] = useState(false)
  const { lines, connection, error } = useLive(liveAddress(site, view), isPaused)
  const { tone, text } = isPaused ? { tone: 'warn' as const, text: 'paused' } : STATES[connection]
  if (error)
    return (
      <div className="p-4">
        <Failure error={error} />
      </div>
    )
  return (
    <>
      <div className="flex items-center gap-3 px-4 py-2">
        <span role="status" className="min-w-0 flex-1">
          <Badge tone={tone}>{text}</Badge>
          <span className="ml-3 text-xs text-muted tabular-nums">
            {formatNumber(lines.length)} {lines.length === 1 ? 'line' : 'lines'}
          </span>
        </span>
        <Button icon={isPaused ? <Play /> : <Pause />} onClick={() => setPaused(!isPaused)}>
          {isPaused ? 'Continue live view' : 'Pause live view'}
        </Button>
      </div>
      {lines.length > 0 ? (
        <LogTable lines={lines} label={`Live: ${SOURCE_NAMES[view.source]}`} />
      ) : (
        <p className="px-4 pb-4 text-muted">New lines appear here as they are written.</p>
      )}
    </>
  )
}

/** The lines of a log that match, newest first. */
function Results({ site, view }: { site: SitePlace; view: LogView }) {
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

const DAYS = 7

/** Which plugin or theme breaks the site. */
function FatalsCard({ site }: { site: SitePlace }) {
  const { data, error, refetch, isFetching } = useQuery(fatalsQuery(site, DAYS))
  return (
    <Card
      title="Fatal errors by plugin or theme"
      flush
      actions={
        <Button
          kind="quiet"
          icon={<RotateCw />}
          busy={isFetching && data !== undefined}
          onClick={() => void refetch()}
        >
          Refresh errors
        </Button>
      }
    >
      <QueryState of={{ data, error, refetch }} flush />
      <ul className="divide-y divide-line" aria-label="Fatal errors">
        {data?.groups.map((group) => (
          <Group key={`${group.kind} ${group.slug}`} group={group} />
        ))}
      </ul>
      {data?.groups.length === 0 && (
        <p className="p-4 text-muted">PHP has reported no fatal error in the last {DAYS} days.</p>
      )}
      {data?.is_complete === false && (
        <p className="px-4 py-2 text-xs text-muted">
          Older errors were not counted: the log is too large to read at once.
        </p>
      )}
    </Card>
  )
}

function Group({ group: { kind, slug, count, first_at, last_at, text } }: { group: Fatal }) {
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 basis-48 break-words">
          <span className="font-medium">{slug || PARTS[kind]}</span>{' '}
          {slug !== '' && <span className="text-xs text-muted">{PARTS[kind]}</span>}
        </span>
        <Badge tone="bad">{formatNumber(count)}</Badge>
        <span className="text-xs text-muted">
          first <Time at={first_at} none="without a time" />, last{' '}
          <Time at={last_at} none="without a time" />
        </span>
      </div>
      <details>
        <summary className="cursor-pointer text-xs text-muted">Show last error</summary>
        <pre className="mt-2 max-h-64 overflow-auto rounded-md bg-sunken p-3 text-xs whitespace-pre-wrap break-words">
          {text}
        </pre>
      </details>
    </li>
  )
}

const TITLE = 'Debug log of WordPress'
const MINUTE_MS = 60_000

/** Switches the debug log of WordPress on for a time. */
function DebugCard({ site }: { site: Site }) {
  const logs = useQuery(siteLogsQuery(site))
  const on = useDialog()
  const off = useDialog()
  const now = useNow()
  if (!logs.data && logs.error) {
    return (
      <Card title={TITLE}>
        <QueryState of={logs} flush />
      </Card>
    )
  }
  const until = logs.data?.debug_until ?? null
  const left_ms = until === null ? 0 : Date.parse(until) - now
  const isOn = left_ms > 0
  return (
    <Card title={TITLE}>
      <AccessRow
        name={isOn ? `On for another ${leftOf(left_ms)}` : 'Off'}
        about={
          isOn && until !== null
            ? `It ends automatically at ${formatTime(until)}. Its messages are in the log “WordPress debug log”.`
            : 'Notices, warnings and errors of plugins and themes are written to a log, and never shown to visitors.'
        }
      >
        <div className="flex gap-2">
          <Button needs="operate" onClick={on.show} disabled={logs.data === undefined}>
            {isOn ? 'Extend debug log' : 'Switch debug log on'}
          </Button>
          {isOn && (
            <Button needs="operate" onClick={off.show}>
              Switch debug log off
            </Button>
          )}
        </div>
      </AccessRow>
      {on.dialog.open && <SwitchOn site={site} {...on.dialog} />}
      <WorkDialog
        {...off.dialog}
        site={site}
        title={`Switch the debug log of ${unicodeOf(site.domain)} off?`}
        about="The lines that were written stay in the log. PHP is reloaded; running requests end first."
        action="Switch debug log off"
        work={setDebugLog(site, null)}
      />
    </Card>
  )
}

function SwitchOn({ site, ...dialog }: DialogState & { site: Site }) {
  const [hours, setHours] = useState<DebugHours>(DEFAULT_DEBUG_HOURS)
  return (
    <WorkDialog
      {...dialog}
      site={site}
      title={`Debug log of ${unicodeOf(site.domain)}`}
      about="WordPress writes messages of PHP, plugins and themes to a log outside of the document root. Visitors do not see them. PHP is reloaded; running requests end first."
      action="Switch debug log on"
      work={setDebugLog(site, hours)}
    >
      <SelectField
        name="hours"
        label="For"
        hint="It ends automatically, also after a restart of the server."
        value={hours}
        options={DEBUG_HOURS.map((value) => ({ value, name: formatCount(value, 'hour') }))}
        onChange={setHours}
      />
    </WorkDialog>
  )
}

function leftOf(left_ms: number): string {
  const minutes = Math.ceil(left_ms / MINUTE_MS)
  if (minutes < 60) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  return minutes < 120 ? `1 hour ${minutes - 60} minutes` : `${Math.floor(minutes / 60)} hours`
}
