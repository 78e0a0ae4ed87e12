import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { type LogView, liveAddress } from '#dashboard/web/api/logs.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import { LogTable } from './log-table.tsx'
import { SOURCE_NAMES } from './names.ts'
import { useLive } from './use-live.ts'

const STATES: Record<ReturnType<typeof useLive>['connection'], { tone: Tone; text: string }> = {
  connecting: { tone: 'busy', text: 'connecting' },
  live: { tone: 'good', text: 'live' },
  disconnected: { tone: 'warn', text: 'disconnected: connecting again' },
  ended: { tone: 'plain', text: 'ended' },
}

/** New lines of a log as they are written. */
export function Live({ site, view }: { site: SitePlace; view: LogView }) {
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
