import { useState } from 'react'
import { issueTls } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { TLS_TEXTS } from '#dashboard/web/labels/site.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import { unknownText } from '#dashboard/web/ui/unknown-text.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { TLS_MODES } from '#shared/kernel/values.ts'

const SOON_MS = 14 * 24 * 3600_000

/** The certificate, its expiry, and the dialog to change it. */
export function TlsCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { dialog, show } = useDialog()
  const hasOne = site.tls !== 'none'
  const isOffline = useServerOffline(site)
  return (
    <Card
      title="TLS"
      actions={
        isOnServer &&
        !site.found && (
          <Button needs="operate" disabled={isOffline} onClick={show}>
            {hasOne ? 'Renew or change' : 'Issue'}
          </Button>
        )
      }
    >
      <Facts
        of={{
          Certificate: unknownText(site.unknown, 'tls') ?? TLS_TEXTS[site.tls].name,
          ...(hasOne && { Expires: <Expiry at={site.certificate_expires_at} /> }),
        }}
      />
      <TlsDialog site={site} {...dialog} />
    </Card>
  )
}

function Expiry({ at }: { at: string }) {
  const now = useNow()
  if (at === '') return <span className="text-muted">unknown</span>
  const left = Date.parse(at) - now
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Time at={at} />
      {left < 0 && <Badge tone="bad">expired: browsers warn</Badge>}
      {left >= 0 && left < SOON_MS && <Badge tone="warn">renewal overdue</Badge>}
    </span>
  )
}

function TlsDialog({ site, ...dialog }: DialogState & { site: Site }) {
  const [mode, setMode] = useState(site.tls === 'other' ? 'letsencrypt' : site.tls)
  return (
    <WorkDialog
      {...dialog}
      title={`Certificate of ${unicodeOf(site.domain)}`}
      about="Choose the current type to renew it."
      site={site}
      work={issueTls(site, mode)}
      action={
        mode === 'none'
          ? 'Remove certificate'
          : mode === site.tls
            ? 'Renew certificate'
            : 'Issue certificate'
      }
    >
      <SelectField
        label="Certificate"
        name="tls"
        hint={TLS_TEXTS[mode].about}
        value={mode}
        options={TLS_MODES.map((value) => ({ value, name: TLS_TEXTS[value].name }))}
        onChange={setMode}
      />
    </WorkDialog>
  )
}
