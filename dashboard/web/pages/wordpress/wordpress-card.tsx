import { ScanSearch } from 'lucide-react'
import { scanSite } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { updatesInWords } from '#dashboard/web/features/sites/updates.tsx'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import type { Column } from '#dashboard/web/ui/table.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unknownReason } from '#dashboard/web/ui/unknown-text.ts'
import type { Extension } from '#shared/kernel/inventory.ts'

/** The versions and updates of WordPress, plugins and themes, and the time of the scan. */
export function WordpressCard({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const start = useStart(site.id)
  const isOffline = useServerOffline(site)
  const scan = isOnServer && (
    <ActionButton
      needs="operate"
      icon={<ScanSearch />}
      disabled={isOffline}
      call={() => start(scanSite(site))}
    >
      Scan now
    </ActionButton>
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
        <RecordTable label={title} rows={rows} keyOf={({ slug }) => slug} columns={COLUMNS} />
      )}
    </section>
  )
}

const COLUMNS: readonly Column<Extension>[] = [
  {
    name: 'Name',
    className: 'w-full',
    cell: 'max-w-64 py-2!',
    show: ({ slug, name }) => (
      <span className="block truncate" title={slug}>
        {name || slug}
      </span>
    ),
  },
  {
    name: 'Version',
    className: 'min-w-24',
    cell: 'py-2! tabular-nums',
    show: ({ version }) => version || '–',
  },
  {
    name: 'Update',
    className: 'min-w-24',
    cell: 'py-2! tabular-nums',
    show: ({ update }) =>
      update ? <Badge tone="warn">{update}</Badge> : <span className="text-muted">–</span>,
  },
  {
    name: 'In use',
    className: 'min-w-20',
    cell: 'py-2! text-muted',
    show: ({ active }) => IN_USE.get(active),
  },
]

const IN_USE = new Map<boolean | null, string>([
  [true, 'yes'],
  [false, 'no'],
  [null, 'unknown'],
])

const rank = ({ update, active }: Extension): number => (update ? 0 : active ? 1 : 2)
