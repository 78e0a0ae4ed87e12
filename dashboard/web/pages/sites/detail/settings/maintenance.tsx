import { useState } from 'react'
import type { Settings } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { SettingsDialog } from '#dashboard/web/features/sites/settings-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { TextAreaField } from '#dashboard/web/ui/field.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { linesOf } from './lines.ts'

interface Props {
  site: Site
  maintenance: Settings['maintenance']
}

/** The maintenance page, and its switch. */
export function MaintenanceRow({ site, maintenance }: Props) {
  const turning = useDialog()
  const ending = useDialog()
  return (
    <AccessRow
      name={maintenance ? 'The maintenance page is on' : 'The maintenance page is off'}
      about={maintenance ? aboutOf(maintenance) : 'Visitors see the site.'}
    >
      <div className="flex gap-2">
        <Button needs="operate" onClick={turning.show}>
          {maintenance ? 'Edit maintenance page' : 'Turn maintenance page on'}
        </Button>
        {maintenance && (
          <Button needs="operate" onClick={ending.show}>
            Turn maintenance page off
          </Button>
        )}
      </div>
      {turning.dialog.open && <TurnOn site={site} maintenance={maintenance} {...turning.dialog} />}
      <SettingsDialog
        {...ending.dialog}
        site={site}
        title={`Turn the maintenance page of ${unicodeOf(site.domain)} off?`}
        about="Visitors see the site again."
        action="Turn maintenance page off"
        input={{ maintenance: null }}
      />
    </AccessRow>
  )
}

function aboutOf({ allow }: NonNullable<Settings['maintenance']>): string {
  const page = 'Visitors see a page with the status 503; the jobs of the site run.'
  return allow.length === 0 ? page : `${page} Visitors from ${allow.join(', ')} see the site.`
}

function TurnOn({ site, maintenance, ...dialog }: Props & DialogState) {
  const [allow, setAllow] = useState(maintenance?.allow.join('\n') ?? '')
  const [message, setMessage] = useState(maintenance?.message ?? '')
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={`Maintenance page of ${unicodeOf(site.domain)}`}
      about="Visitors see a page with the status 503 and Retry-After, which search engines understand. The jobs of the site run."
      action="Turn maintenance page on"
      input={{ maintenance: { allow: linesOf(allow), message } }}
    >
      <TextAreaField
        name="message"
        label="Message"
        hint="Empty: “It will be back soon.” At most 300 characters."
        rows={2}
        maxLength={300}
        value={message}
        onChange={setMessage}
      />
      <TextAreaField
        name="allow"
        label="Addresses that see the site"
        hint="One IP address or network in each line, such as 203.0.113.7 or 203.0.113.0/24."
        rows={3}
        value={allow}
        onChange={setAllow}
      />
    </SettingsDialog>
  )
}
