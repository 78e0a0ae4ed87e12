import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Settings, settingsQuery } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { SettingsDialog } from '#dashboard/web/features/sites/settings-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { PHP_LIMITS } from '#shared/kernel/php-values.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { draftOf, settingsOf } from './php-draft.ts'
import { LABELS, PhpFields } from './php-fields.tsx'

/** The limits of PHP and other settings of php.ini. */
export function PhpLimitsCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { data, error, refetch } = useQuery(settingsQuery(site))
  const { dialog, show } = useDialog()
  return (
    <Card
      title="PHP settings"
      actions={isOnServer && data && <Button onClick={show}>Change PHP settings</Button>}
    >
      <QueryState of={{ data, error, refetch }} rows={4} />
      {data && <Facts of={factsOf(data)} />}
      {data && dialog.open && <Change site={site} settings={data} {...dialog} />}
    </Card>
  )
}

function factsOf({ php_settings, php_limits }: Settings) {
  const limits = PHP_LIMITS.map((name) => {
    const { usual, most } = php_limits[name]
    const set = php_settings?.[name]
    const value = Math.min(set ?? usual, most)
    const { name: label, unit } = LABELS[name]
    return [
      label,
      <>
        {`${value} ${unit}`}
        {set === undefined && <span className="text-xs text-muted"> as its tier</span>}
        {set !== undefined && set > most && (
          <span className="text-xs text-muted"> of {set}: the most of its tier</span>
        )}
      </>,
    ] as const
  })
  return { ...Object.fromEntries(limits), ...php_settings?.values }
}

function Change({ site, settings, ...dialog }: DialogState & { site: Site; settings: Settings }) {
  const [draft, setDraft] = useState(() => draftOf(settings.php_settings))
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={`PHP settings of ${unicodeOf(site.domain)}`}
      about="PHP is tested with the new settings, and reloaded without losing a request. If it does not answer with them, the former ones are restored."
      action="Apply PHP settings"
      input={{ php_settings: settingsOf(draft) }}
    >
      <PhpFields draft={draft} ranges={settings.php_limits} onChange={setDraft} />
    </SettingsDialog>
  )
}
