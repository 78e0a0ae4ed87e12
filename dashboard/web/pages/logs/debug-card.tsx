import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { setDebugLog, siteLogsQuery } from '#dashboard/web/api/logs.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { formatTime } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { useNow } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { DEBUG_HOURS, DEFAULT_DEBUG_HOURS, type DebugHours } from '#shared/wordpress/wp-debug.ts'

const TITLE = 'Debug log of WordPress'
const MINUTE_MS = 60_000

/** Switches the debug log of WordPress on for a time. */
export function DebugCard({ site }: { site: Site }) {
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
          <Button onClick={on.show} disabled={logs.data === undefined}>
            {isOn ? 'Extend debug log' : 'Switch debug log on'}
          </Button>
          {isOn && <Button onClick={off.show}>Switch debug log off</Button>}
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
      <Field
        name="hours"
        label="For"
        hint="It ends automatically, also after a restart of the server."
      >
        <Select
          value={hours}
          onChange={({ target }) =>
            setHours(DEBUG_HOURS.find((value) => `${value}` === target.value) ?? hours)
          }
        >
          {DEBUG_HOURS.map((value) => (
            <option key={value} value={value}>
              {value === 1 ? '1 hour' : `${value} hours`}
            </option>
          ))}
        </Select>
      </Field>
    </WorkDialog>
  )
}

function leftOf(left_ms: number): string {
  const minutes = Math.ceil(left_ms / MINUTE_MS)
  if (minutes < 60) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  return minutes < 120 ? `1 hour ${minutes - 60} minutes` : `${Math.floor(minutes / 60)} hours`
}
