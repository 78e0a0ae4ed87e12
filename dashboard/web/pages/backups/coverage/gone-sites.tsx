import { useQuery } from '@tanstack/react-query'
import { goneBackupsQuery } from '#dashboard/web/api/backups.ts'
import { CloneDialog } from '#dashboard/web/features/copies/clone-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatBytes, formatNumber } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { GoneSite } from '#shared/backups/api/backup-coverage.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { RefreshGone } from './refresh-gone.tsx'

const NUMBER = 'text-right whitespace-nowrap tabular-nums'

/** The backups of sites that were deleted permanently, or whose server was removed. */
export function GoneSites({ gone }: { gone: readonly GoneSite[] }) {
  return (
    <Card title="Backups of deleted sites" flush>
      <p className="px-4 pt-3 text-muted">
        Deleting a site keeps its backups until the owner of the storage removes them. Backups that
        were found in a target are listed here, too.
      </p>
      <Table
        label="Backups of deleted sites"
        head={
          <>
            <Head>Site</Head>
            <Head className="max-sm:hidden">Target</Head>
            <Head className="text-right">Backups</Head>
            <Head>Last backup</Head>
            <Head className="max-md:hidden text-right">Size</Head>
            <Head>
              <span className="sr-only">Actions</span>
            </Head>
          </>
        }
      >
        {gone.map((site) => (
          <Row key={`${site.domain} ${site.target}`} site={site} />
        ))}
      </Table>
    </Card>
  )
}

function Row({ site: { backup_id, domain, target, count, last_at, bytes } }: { site: GoneSite }) {
  const { dialog, show } = useDialog()
  const refreshing = useDialog()
  const { data } = useQuery({ ...goneBackupsQuery(domain), enabled: dialog.open })
  const backups = data ?? [{ id: backup_id, at: last_at, bytes, target }]
  return (
    <tr>
      <Cell className="font-medium break-all">{unicodeOf(domain)}</Cell>
      <Cell className="break-words max-sm:hidden">{target}</Cell>
      <Cell className={NUMBER}>{formatNumber(count)}</Cell>
      <Cell>
        <Time at={last_at} />
      </Cell>
      <Cell className={`${NUMBER} max-md:hidden`}>{formatBytes(bytes)}</Cell>
      <Cell className="text-right">
        <div className="flex flex-wrap justify-end gap-2">
          <Button aria-label={`Refresh list… of ${unicodeOf(domain)}`} onClick={refreshing.show}>
            Refresh list…
          </Button>
          <Button aria-label={`Restore ${unicodeOf(domain)} as a new site`} onClick={show}>
            Restore…
          </Button>
        </div>
        <RefreshGone {...refreshing.dialog} domain={domain} />
        <CloneDialog {...dialog} origin={{ domain, backups }} chosen={backup_id} />
      </Cell>
    </tr>
  )
}
