import { useQuery } from '@tanstack/react-query'
import {
  Archive,
  CopyPlus,
  DatabaseBackup,
  FolderDown,
  HardDrive,
  RefreshCw,
  Undo2,
} from 'lucide-react'
import { useState } from 'react'
import {
  BACKUPS,
  downloadAddress,
  refreshBackups,
  siteBackupsQuery,
  targetsQuery,
} from '#dashboard/web/api/backups.ts'
import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { createBackup, undoRestore } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { refreshedText } from '#dashboard/web/features/backups/refreshed-text.ts'
import { CloneSite } from '#dashboard/web/features/copies/clone-site.tsx'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { OBSTACLES } from '#dashboard/web/labels/backup.ts'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { startDownload } from '#dashboard/web/ui/download.ts'
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatNumber,
  formatTime,
} from '#dashboard/web/ui/format.ts'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { RightsAt, useMay } from '#dashboard/web/ui/rights.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import type { Column } from '#dashboard/web/ui/table.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Lasting, Time } from '#dashboard/web/ui/time.tsx'
import { useAction } from '#dashboard/web/ui/use-call.ts'
import type { BackupView, SiteBackups } from '#shared/backups/api/backups.ts'
import type { ReplacementType } from '#shared/backups/backup-schedule.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { Proof } from './proof.tsx'
import { RestoreBackup } from './restore-backup.tsx'
import { RestoreRequest } from './restore-request.tsx'
import { ScheduleCard } from './schedule-card.tsx'

/** The backups of a site, what prevents them, and the last restore while it can be undone. */
export function BackupsTab({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(siteBackupsQuery(site))
  return (
    <div className="flex flex-col gap-5">
      {data?.obstacle && <Obstacle of={data.obstacle} />}
      {data?.requested && <RestoreRequest site={site} request={data.requested} />}
      {data?.undo && <Restored site={site} undo={data.undo} />}
      {data && <ScheduleCard site={site} data={data} />}
      <Card
        title="Backups"
        flush
        actions={
          <>
            {data && hasStored(data) && <RefreshList site={site} />}
            {data?.obstacle === null && data.backups.length > 0 && (
              <BackUp site={site} target_id={data.in_effect.target_id} />
            )}
          </>
        }
      >
        <QueryState of={{ data, error, refetch }} flush />
        {data && <List site={site} data={data} />}
        {data && data.gone.length > 0 && <GoneBackups gone={data.gone} />}
      </Card>
    </div>
  )
}

const hasStored = ({ backups, gone }: SiteBackups) => backups.length + gone.length > 0

function List({ site, data: { backups, obstacle, in_effect } }: { site: Site; data: SiteBackups }) {
  const [chosen, setChosen] = useState<BackupView>()
  const [dialog, setDialog] = useState<'restore' | 'clone'>()
  if (backups.length === 0)
    return (
      <Empty
        icon={<Archive />}
        title="This site has no backups"
        action={
          obstacle === null && (
            <span className="flex gap-2">
              <BackUp site={site} target_id={in_effect.target_id} />
            </span>
          )
        }
      >
        A backup has the files and the database of the site, encrypted. Unchanged data is stored
        once, so that each further backup needs little time and space.
      </Empty>
    )
  const choose = (next: 'restore' | 'clone') => (backup: BackupView) => {
    setChosen(backup)
    setDialog(next)
  }
  const state = (of: typeof dialog) => ({
    open: dialog === of,
    onClose: () => setDialog(undefined),
  })
  return (
    <>
      <p className="px-4 pt-3 text-muted">{formatCount(backups.length, 'backup')}, newest first</p>
      <BackupTable
        site={site}
        backups={backups}
        onRestore={choose('restore')}
        onClone={choose('clone')}
      />
      {chosen && <RestoreBackup site={site} backup={chosen} {...state('restore')} />}
      {chosen && <CloneSite site={site} chosen={chosen.id} {...state('clone')} />}
    </>
  )
}

/** Why the site cannot be backed up, with the page that solves it. */
function Obstacle({ of }: { of: keyof typeof OBSTACLES }) {
  const { title, advice } = OBSTACLES[of]
  return (
    <Notice
      kind="warn"
      title={`This site cannot be backed up: ${title}`}
      actions={
        <RightsAt where="fleet">
          <ButtonLink needs="read" to="/backups">
            Set up backups
          </ButtonLink>
        </RightsAt>
      }
    >
      {advice}
    </Notice>
  )
}

/** Reads what the storage really has, which takes some seconds. */
const RefreshList = ({ site }: { site: SitePlace }) => (
  <ActionButton
    needs="operate"
    icon={<RefreshCw />}
    call={() => refreshBackups(site)}
    done={(changed) => refreshedText(changed)}
    changes={[BACKUPS]}
  >
    Refresh list
  </ActionButton>
)

/** What the list had, and what is not in the storage any more. */
function GoneBackups({ gone }: Pick<SiteBackups, 'gone'>) {
  return (
    <details className="border-line border-t px-4 py-3">
      <summary className="cursor-pointer text-muted">
        No longer stored: {gone.length}. The keeper deletes old backups; they cannot be restored.
      </summary>
      <ul className="mt-2 flex flex-col gap-1">
        {gone.map(({ id, at, target, gone_at }) => (
          <li key={id}>
            {formatTime(at)}
            <span className="text-muted">
              , {target}, missing <Lasting since={gone_at} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** A backup in the target of the site, or in another one. */
function BackUp({ site, target_id }: { site: Site; target_id: number | null }) {
  const start = useStart(site.id)
  const seesFleet = useMay()('read', 'fleet')
  const { data: targets = [] } = useQuery({ ...targetsQuery, enabled: seesFleet })
  const backUp = useAction((chosen: number | undefined) => start(createBackup(site, chosen)))
  const others = targets.filter(({ id, checked_at }) => id !== target_id && checked_at !== null)
  return (
    <>
      <Button
        needs="operate"
        kind="primary"
        icon={<Archive />}
        busy={backUp.isBusy}
        onClick={() => backUp.run(undefined)}
      >
        Back up now
      </Button>
      {others.length > 0 && (
        <Menu needs="operate" name="Back up to another target">
          {others.map(({ id, name }) => (
            <MenuItem key={id} icon={<HardDrive />} onClick={() => backUp.run(id)}>
              Back up to {name}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  )
}

interface RestoredProps {
  site: Site
  undo: NonNullable<SiteBackups['undo']>
}

const TEXTS: Record<
  ReplacementType,
  { done: (at: string) => string; about: string; action: string }
> = {
  'backup.restore': {
    done: (at) => `Restored the backup of ${at}`,
    about: 'the restore',
    action: 'Undo restore',
  },
  'database.import': {
    done: (at) => `Imported a dump into the database at ${at}`,
    about: 'the import',
    action: 'Undo import',
  },
  'site.push': {
    done: (at) => `Replaced by a push of the staging site of ${at}`,
    about: 'the push',
    action: 'Undo push',
  },
  'site.refresh': {
    done: (at) => `Refreshed with the state of ${at}`,
    about: 'the refresh',
    action: 'Undo refresh',
  },
}

/** The last operation that replaced the state of the site; it can be undone for a week. */
function Restored({ site, undo: { cause, at, until } }: RestoredProps) {
  const { done, about, action } = TEXTS[cause]
  const { dialog, show } = useDialog()
  return (
    <>
      <Notice
        kind="info"
        title={`${done(formatTime(at))} · Undo until ${formatTime(until)}`}
        actions={
          <Button needs="operate" icon={<Undo2 />} onClick={show}>
            {action}
          </Button>
        }
      >
        The previous state is kept on the server until then.
      </Notice>
      <WorkDialog
        {...dialog}
        title={`${action} of ${unicodeOf(site.domain)}?`}
        about={`The replaced files and the replaced database are restored. What has changed on the site since ${about} is lost: back it up first to keep it.`}
        site={site}
        work={undoRestore(site)}
        action={action}
        isDestructive
      />
    </>
  )
}

interface BackupTableProps {
  site: SitePlace
  backups: readonly BackupView[]
  onRestore: (backup: BackupView) => void
  /** As a new site. */
  onClone: (backup: BackupView) => void
}

function BackupTable({ site, backups, onRestore, onClone }: BackupTableProps) {
  return (
    <RecordTable
      label="Backups"
      rows={backups}
      keyOf={({ id }) => id}
      columns={[
        ...COLUMNS,
        {
          name: 'Actions',
          isUnnamed: true,
          className: 'text-right',
          show: (backup) => (
            <Actions site={site} backup={backup} onRestore={onRestore} onClone={onClone} />
          ),
        },
      ]}
    />
  )
}

const COLUMNS: readonly Column<BackupView>[] = [
  {
    name: 'Time',
    show: ({ at, is_ahead, target, proof }) => (
      <>
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
          <Proof proof={proof} />
        </div>
      </>
    ),
  },
  { name: 'Target', className: 'break-words max-md:hidden', show: ({ target }) => target },
  {
    name: 'Proof',
    className: 'max-sm:hidden',
    cell: 'max-w-56',
    show: ({ proof }) => <Proof proof={proof} />,
  },
  {
    name: 'Files',
    isNumber: true,
    className: 'max-lg:hidden',
    show: ({ files }) => formatNumber(files),
  },
  {
    name: 'Tables',
    isNumber: true,
    className: 'max-lg:hidden',
    show: ({ tables }) => formatNumber(tables),
  },
  {
    name: 'Size',
    isNumber: true,
    className: 'max-sm:hidden',
    show: ({ bytes }) => formatBytes(bytes),
  },
  {
    name: 'New data',
    isNumber: true,
    className: 'max-sm:hidden',
    show: ({ stored }) => formatBytes(stored),
  },
  {
    name: 'Duration',
    isNumber: true,
    className: 'max-md:hidden',
    show: ({ seconds }) => formatDuration(seconds * 1000),
  },
]

type ActionsProps = Omit<BackupTableProps, 'backups'> & { backup: BackupView }

function Actions({ site, backup, onRestore, onClone }: ActionsProps) {
  const { id, tables } = backup
  const mayCopy = useMay()('operate', 'servers')
  const time = formatTime(backup.at)
  return (
    <span className="inline-flex gap-2">
      <Button
        needs="operate"
        aria-label={`Restore the backup of ${time}`}
        onClick={() => onRestore(backup)}
      >
        Restore…
      </Button>
      <Menu needs={['operate', 'secrets']} name={`More actions of the backup of ${time}`}>
        {mayCopy && (
          <MenuItem needs="operate" icon={<CopyPlus />} onClick={() => onClone(backup)}>
            Restore as a new site…
          </MenuItem>
        )}
        <MenuItem
          needs="secrets"
          icon={<FolderDown />}
          onClick={() => startDownload(downloadAddress(site, id, 'files'))}
        >
          Download files
        </MenuItem>
        {tables > 0 && (
          <MenuItem
            needs="secrets"
            icon={<DatabaseBackup />}
            onClick={() => startDownload(downloadAddress(site, id, 'database'))}
          >
            Download database
          </MenuItem>
        )}
      </Menu>
    </span>
  )
}
