import { useQuery } from '@tanstack/react-query'
import { extensionsQuery } from '#dashboard/web/api/servers.ts'
import { formatCount, formatDate } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { useNow } from '#dashboard/web/ui/time.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { InstalledPhp } from '#shared/php/php-installed.ts'
import { supportEnds } from '#shared/php/php-support.ts'

const SOON_MS = 180 * 24 * 3600_000

/** The installed PHP versions with the end of their security fixes. */
export function PhpVersions({ server }: { server: FleetServerDetail }) {
  const { id, php_versions, os } = server
  const { data: installed } = useQuery(extensionsQuery(id))
  return (
    <Card title="PHP" flush>
      {php_versions.length === 0 && <p className="p-4 text-muted">No PHP installed yet</p>}
      <ul className="divide-y divide-line">
        {php_versions.map((php) => (
          <li key={php} className="flex min-h-11 flex-wrap items-center gap-x-3 px-4 py-2">
            <span className="flex-1 font-medium whitespace-nowrap tabular-nums">PHP {php}</span>
            <Support ends={supportEnds(php, os)} />
            <Extensions of={installed?.find(({ version }) => version === php)} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Extensions({ of }: { of: InstalledPhp | undefined }) {
  if (!of) return null
  return (
    <details className="basis-full text-xs text-muted">
      <summary className="cursor-pointer">{formatCount(of.extensions.length, 'extension')}</summary>
      <p className="mt-1 break-words">{of.extensions.join(', ')}</p>
    </details>
  )
}

function Support({ ends }: { ends: string | undefined }) {
  const now = useNow()
  if (ends === undefined) return <Badge>support unknown</Badge>
  const left = Date.parse(ends) - now
  return (
    <>
      <span className="text-xs text-muted">
        Fixes {left < 0 ? 'ended' : 'until'} {formatDate(ends)}
      </span>
      {left < 0 && <Badge tone="bad">end of life</Badge>}
      {left >= 0 && left < SOON_MS && <Badge tone="warn">ends soon</Badge>}
      {left >= SOON_MS && <Badge tone="good">supported</Badge>}
    </>
  )
}
