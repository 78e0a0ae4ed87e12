import { useMutation } from '@tanstack/react-query'
import { ScanSearch } from 'lucide-react'
import { scanSite } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { updatesInWords } from '#dashboard/web/features/sites/updates.tsx'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { unknownReason } from '#dashboard/web/ui/unknown-text.ts'
import { Extensions } from './extensions.tsx'

/** The versions and updates of WordPress, plugins and themes, and the time of the scan. */
export function WordpressCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const start = useStart(site.id)
  const isOffline = useServerOffline(site)
  const { mutate, isPending } = useMutation({
    mutationFn: () => start(scanSite(site)),
    onError: toastError,
  })
  const scan = isOnServer && (
    <Button icon={<ScanSearch />} disabled={isOffline} busy={isPending} onClick={() => mutate()}>
      Scan now
    </Button>
  )
  const { inventory } = site
  return (
    <Card title="WordPress" flush actions={inventory && scan}>
      {inventory && (
        <>
          <div className="p-4">
            <Facts
              of={{
                Version: <Version version={inventory.wp_version} update={inventory.core_update} />,
                Updates: <Updates site={site} />,
                'Last scan': <Time at={site.last_scan} />,
              }}
            />
          </div>
          <Extensions kind="plugin" of={inventory.plugins} />
          <Extensions kind="theme" of={inventory.themes} />
        </>
      )}
      {!inventory && (
        <Empty
          icon={<ScanSearch />}
          title={
            site.wp_version ? `WordPress ${site.wp_version}, not scanned yet` : 'Not scanned yet'
          }
          action={scan}
        >
          A scan reads the versions of WordPress, its plugins and themes, and the updates that it
          knows of. It runs none of the site's code.
        </Empty>
      )}
    </Card>
  )
}

function Version({ version, update }: { version: string; update: string | null }) {
  return (
    <span className="flex flex-wrap items-center gap-2 tabular-nums">
      {version || 'unknown'}
      {update && <Badge tone="warn">{update} is available</Badge>}
    </span>
  )
}

function Updates({ site }: { site: Site }) {
  const updates = updatesInWords(site.updates)
  const code = site.inventory?.unknown_because ?? site.unknown.updates ?? 'not_checked'
  const reason = unknownReason(code)
  if (updates === undefined)
    return (
      <span className="text-muted">
        unknown: {reason ?? unknownReason('not_checked')}
        {code === 'not_checked' && '. WordPress checks when somebody visits the site'}
      </span>
    )
  return updates === '' ? 'none' : <span className="text-warn">{updates}</span>
}
