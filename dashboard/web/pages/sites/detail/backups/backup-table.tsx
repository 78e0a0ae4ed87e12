import { CopyPlus, DatabaseBackup, FolderDown } from 'lucide-react'
import { downloadAddress } from '#dashboard/web/api/backups.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatBytes, formatDuration, formatNumber, formatTime } from '#dashboard/web/ui/format.ts'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { saveFrom } from '#dashboard/web/ui/save-text.ts'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { BackupView } from '#shared/backups/api/backups.ts'
import { Proof } from './proof.tsx'

interface BackupTableProps {
  site: SitePlace
  backups: readonly BackupView[]
  onRestore: (backup: BackupView) => void
  /** As a new site. */
  onCopy: (backup: BackupView) => void
}

const NUMBER = 'text-right whitespace-nowrap tabular-nums'

export function BackupTable({ site, backups, onRestore, onCopy }: BackupTableProps) {
  return (
    <Table
      label="Backups"
      head={
        <>
          <Head>Time</Head>
          <Head className="max-md:hidden">Target</Head>
          <Head className="max-sm:hidden">Proof</Head>
          <Head className="max-lg:hidden text-right">Files</Head>
          <Head className="max-lg:hidden text-right">Tables</Head>
          <Head className="max-sm:hidden text-right">Size</Head>
          <Head className="max-sm:hidden text-right">New data</Head>
          <Head className="max-md:hidden text-right">Duration</Head>
          <Head className="text-right">
            <span className="sr-only">Actions</span>
          </Head>
        </>
      }
    >
      {backups.map((backup) => (
        <Row key={backup.id} site={site} backup={backup} onRestore={onRestore} onCopy={onCopy} />
      ))}
    </Table>
  )
}

type RowProps = Omit<BackupTableProps, 'backups'> & { backup: BackupView }

function Row({ site, backup, onRestore, onCopy }: RowProps) {
  const { id, at, is_ahead, target, files, tables, bytes, stored, seconds } = backup
  return (
    <tr>
      <Cell>
        <span className="font-medium">{formatTime(at)}</span>
        <p className="text-xs text-muted">
          <Time at={at} />
          <span className="md:hidden">, {target}</span>
        </p>
        {is_ahead && (
          <p className="text-xs text-muted">
            Dated in the future: the clock of its server was wrong
          </p>
        )}
        <div className="mt-1 sm:hidden">
          <Proof proof={backup.proof} />
        </div>
      </Cell>
      <Cell className="break-words max-md:hidden">{target}</Cell>
      <Cell className="max-w-56 max-sm:hidden">
        <Proof proof={backup.proof} />
      </Cell>
      <Cell className={`${NUMBER} max-lg:hidden`}>{formatNumber(files)}</Cell>
      <Cell className={`${NUMBER} max-lg:hidden`}>{formatNumber(tables)}</Cell>
      <Cell className={`${NUMBER} max-sm:hidden`}>{formatBytes(bytes)}</Cell>
      <Cell className={`${NUMBER} max-sm:hidden`}>{formatBytes(stored)}</Cell>
      <Cell className={`${NUMBER} max-md:hidden`}>{formatDuration(seconds * 1000)}</Cell>
      <Cell className="text-right">
        <span className="inline-flex gap-2">
          <Button
            aria-label={`Restore the backup of ${formatTime(at)}`}
            onClick={() => onRestore(backup)}
          >
            Restore…
          </Button>
          <Menu name={`More actions of the backup of ${formatTime(at)}`}>
            <MenuItem icon={<CopyPlus />} onClick={() => onCopy(backup)}>
              Restore as a new site…
            </MenuItem>
            <MenuItem
              icon={<FolderDown />}
              onClick={() => saveFrom(downloadAddress(site, id, 'files'))}
            >
              Download files
            </MenuItem>
            {tables > 0 && (
              <MenuItem
                icon={<DatabaseBackup />}
                onClick={() => saveFrom(downloadAddress(site, id, 'database'))}
              >
                Download database
              </MenuItem>
            )}
          </Menu>
        </span>
      </Cell>
    </tr>
  )
}
