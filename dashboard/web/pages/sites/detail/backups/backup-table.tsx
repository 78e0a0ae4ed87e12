import { Button } from '#dashboard/web/ui/button.tsx'
import { formatBytes, formatDuration, formatNumber, formatTime } from '#dashboard/web/ui/format.ts'
import { Cell, Head, Table } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { BackupView } from '#shared/api/backups.ts'

interface BackupTableProps {
  backups: readonly BackupView[]
  onRestore: (backup: BackupView) => void
}

const NUMBER = 'text-right whitespace-nowrap tabular-nums'

export function BackupTable({ backups, onRestore }: BackupTableProps) {
  return (
    <Table
      label="Backups"
      head={
        <>
          <Head>Time</Head>
          <Head className="max-md:hidden">Target</Head>
          <Head className="max-lg:hidden text-right">Files</Head>
          <Head className="max-lg:hidden text-right">Tables</Head>
          <Head className="text-right">Size</Head>
          <Head className="max-sm:hidden text-right">New data</Head>
          <Head className="max-md:hidden text-right">Duration</Head>
          <Head className="text-right">
            <span className="sr-only">Actions</span>
          </Head>
        </>
      }
    >
      {backups.map((backup) => (
        <Row key={backup.id} backup={backup} onRestore={onRestore} />
      ))}
    </Table>
  )
}

function Row({ backup, onRestore }: Pick<BackupTableProps, 'onRestore'> & { backup: BackupView }) {
  const { at, target, files, tables, bytes, stored, seconds } = backup
  return (
    <tr>
      <Cell>
        <span className="font-medium">{formatTime(at)}</span>
        <p className="text-xs text-muted">
          <Time at={at} />
          <span className="md:hidden">, {target}</span>
        </p>
      </Cell>
      <Cell className="break-words max-md:hidden">{target}</Cell>
      <Cell className={`${NUMBER} max-lg:hidden`}>{formatNumber(files)}</Cell>
      <Cell className={`${NUMBER} max-lg:hidden`}>{formatNumber(tables)}</Cell>
      <Cell className={NUMBER}>{formatBytes(bytes)}</Cell>
      <Cell className={`${NUMBER} max-sm:hidden`}>{formatBytes(stored)}</Cell>
      <Cell className={`${NUMBER} max-md:hidden`}>{formatDuration(seconds * 1000)}</Cell>
      <Cell className="text-right">
        <Button
          aria-label={`Restore the backup of ${formatTime(at)}`}
          onClick={() => onRestore(backup)}
        >
          Restore…
        </Button>
      </Cell>
    </tr>
  )
}
