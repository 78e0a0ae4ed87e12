import { useQuery } from '@tanstack/react-query'
import { Download, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { downloadAddress, type LogView, siteLogsQuery } from '#dashboard/web/api/logs.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { isWordpress } from '#dashboard/web/features/sites/urls.ts'
import { Button, ButtonAnchor } from '#dashboard/web/ui/button.tsx'
import { Select } from '#dashboard/web/ui/field.tsx'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { formatBytes } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { SearchInput } from '#dashboard/web/ui/search-input.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { LOG_LEVELS, LOG_SOURCES, type LogLevel, type LogSource } from '#shared/logs/site-logs.ts'
import { DebugCard } from './debug-card.tsx'
import { FatalsCard } from './fatals-card.tsx'
import { Live } from './live.tsx'
import { LEVELS, PERIODS, SOURCE_NAMES } from './names.ts'
import { Results } from './results.tsx'

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
            <ButtonAnchor href={downloadAddress(site, view)} download>
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
function SourceSelect({ site, value, onChange }: SelectProps<LogSource> & { site: Site }) {
  const { data } = useQuery(siteLogsQuery(site))
  const nameOf = (source: LogSource) => {
    const bytes = data?.logs.find((log) => log.source === source)?.bytes
    return bytes == null ? SOURCE_NAMES[source] : `${SOURCE_NAMES[source]} (${formatBytes(bytes)})`
  }
  return (
    <Select
      aria-label="Log"
      className="w-auto! max-w-64"
      value={value}
      onChange={({ target }) =>
        onChange(LOG_SOURCES.find((source) => source === target.value) ?? 'access')
      }
    >
      {LOG_SOURCES.map((source) => (
        <option key={source} value={source}>
          {nameOf(source)}
        </option>
      ))}
    </Select>
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
