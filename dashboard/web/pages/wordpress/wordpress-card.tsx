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
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { unknownReason } from '#dashboard/web/ui/unknown-text.ts'
import type { Extension } from '#shared/kernel/inventory.ts'

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

interface ExtensionsProps {
  kind: 'plugin' | 'theme'
  of: readonly Extension[]
}

/** Extensions with an update first, then active ones. */
function Extensions({ kind, of }: ExtensionsProps) {
  const title = `${of.length} ${kind}${of.length === 1 ? '' : 's'}`
  const rows = [...of].sort(
    (a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name) || a.slug.localeCompare(b.slug),
  )
  return (
    <section className="border-t border-line">
      <h3 className="px-4 pt-3 pb-1 font-medium">{title}</h3>
      {rows.length > 0 && (
        <Table
          label={title}
          head={
            <>
              <Head className="w-full">Name</Head>
              <Head className="min-w-24">Version</Head>
              <Head className="min-w-24">Update</Head>
              <Head className="min-w-20">In use</Head>
            </>
          }
        >
          {rows.map(({ slug, name, version, update, active }) => (
            <tr key={slug}>
              <Cell className="max-w-64 py-2!">
                <span className="block truncate" title={slug}>
                  {name || slug}
                </span>
              </Cell>
              <Cell className="py-2! tabular-nums">{version || '–'}</Cell>
              <Cell className="py-2! tabular-nums">
                {update ? (
                  <Badge tone="warn">{update}</Badge>
                ) : (
                  <span className="text-muted">–</span>
                )}
              </Cell>
              <Cell className="py-2! text-muted">{IN_USE.get(active)}</Cell>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}

const IN_USE = new Map<boolean | null, string>([
  [true, 'yes'],
  [false, 'no'],
  [null, 'unknown'],
])

const rank = ({ update, active }: Extension): number => (update ? 0 : active ? 1 : 2)
