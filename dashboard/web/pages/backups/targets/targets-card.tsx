import { HardDrive, Plus } from 'lucide-react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'
import { Head, Table } from '#dashboard/web/ui/table.tsx'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'
import { type TargetActions, TargetRow } from './target-row.tsx'

interface TargetsCardProps extends TargetActions {
  targets: readonly BackupTargetView[]
  onAdd: () => void
}

/** Where backups are stored. */
export function TargetsCard({ targets, onAdd, ...actions }: TargetsCardProps) {
  const add = (
    <Button icon={<Plus />} onClick={onAdd}>
      Add target
    </Button>
  )
  return (
    <Card title="Backup targets" flush actions={targets.length > 0 && add}>
      {targets.length === 0 ? (
        <Empty icon={<HardDrive />} title="There is no backup target" action={add}>
          A target is a place for the backups of all sites: a REST server, an S3 bucket, an SFTP
          account or a folder of the server.
        </Empty>
      ) : (
        <Table
          label="Backup targets"
          head={
            <>
              <Head>Target</Head>
              <Head className="max-sm:hidden">Last check</Head>
              <Head className="max-sm:hidden text-right">Backups</Head>
              <Head className="text-right">
                <span className="sr-only">Actions</span>
              </Head>
            </>
          }
        >
          {targets.map((target) => (
            <TargetRow key={target.id} target={target} {...actions} />
          ))}
        </Table>
      )}
    </Card>
  )
}
