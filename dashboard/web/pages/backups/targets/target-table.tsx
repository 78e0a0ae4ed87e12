import { Pencil, Search, ShieldCheck, Star, Trash2 } from 'lucide-react'
import { BACKUPS, changeTarget } from '#dashboard/web/api/backups.ts'
import { DELETION_ADVICE, KIND_NAMES, placeName } from '#dashboard/web/labels/backup.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useAction } from '#dashboard/web/ui/use-call.ts'
import type { BackupTargetView, KeeperView } from '#shared/backups/api/backups.ts'

type Act = (target: BackupTargetView) => void

export interface TargetActions {
  onCheck: Act
  onEdit: Act
  onFind: Act
  onRemove: Act
}

interface TargetTableProps extends TargetActions {
  targets: readonly BackupTargetView[]
}

/** The targets, and what can be done to each. */
export const TargetTable = ({ targets, ...actions }: TargetTableProps) => (
  <RecordTable
    label="Backup targets"
    rows={targets}
    keyOf={({ id }) => id}
    columns={[
      { name: 'Target', show: (target) => <Description target={target} /> },
      {
        name: 'Last check',
        className: 'max-sm:hidden',
        show: ({ checked_at }) => <Time at={checked_at} />,
      },
      {
        name: 'Backups',
        isNumber: true,
        className: 'max-sm:hidden',
        show: ({ backups }) => formatNumber(backups),
      },
      {
        name: 'Actions',
        isUnnamed: true,
        show: (target) => <Actions target={target} {...actions} />,
      },
    ]}
  />
)

function Description({ target }: { target: BackupTargetView }) {
  const { name, place, is_default, checked_at, append_only } = target
  return (
    <>
      <span className="flex flex-wrap items-center gap-2">
        <span className="font-medium break-words">{name}</span>
        {is_default && <Badge tone="busy">default</Badge>}
        <Deletion target={target} />
      </span>
      <p className="text-xs break-all text-muted">
        {KIND_NAMES[place.kind]}, {placeName(place)}
      </p>
      {append_only === false && (
        <p className="mt-1 text-xs">Advice: {DELETION_ADVICE[place.kind]}</p>
      )}
      <KeeperStatus target={target} />
      <p className="text-xs text-muted sm:hidden">
        checked <Time at={checked_at} />
      </p>
    </>
  )
}

function Deletion({ target: { append_only } }: { target: BackupTargetView }) {
  if (append_only === null) return <Badge>not checked</Badge>
  if (append_only) return <Badge tone="good">refuses deletion</Badge>
  return <Badge tone="warn">can be deleted by servers</Badge>
}

function Actions({
  target,
  onCheck,
  onEdit,
  onFind,
  onRemove,
}: TargetActions & { target: BackupTargetView }) {
  const { id, name, is_default, checked_at } = target
  const makeDefault = useAction(() => changeTarget(id, { is_default: true }), {
    changes: [BACKUPS],
    done: `Sites are backed up to ${name} now`,
  })
  return (
    <div className="flex justify-end gap-2">
      <Button
        needs="admin"
        kind={checked_at === null ? 'primary' : 'plain'}
        className="max-sm:hidden"
        aria-label={`Check ${name} from a server`}
        onClick={() => onCheck(target)}
      >
        Check
      </Button>
      <Menu needs="admin" name={`More actions of ${name}`}>
        <MenuItem needs="admin" icon={<ShieldCheck />} onClick={() => onCheck(target)}>
          Check from a server
        </MenuItem>
        <MenuItem needs="admin" icon={<Pencil />} onClick={() => onEdit(target)}>
          Edit target
        </MenuItem>
        <MenuItem needs="admin" icon={<Search />} onClick={() => onFind(target)}>
          Find existing backups
        </MenuItem>
        <MenuItem
          needs="admin"
          icon={<Star />}
          disabled={is_default}
          onClick={() => makeDefault.run()}
        >
          Make default
        </MenuItem>
        <MenuItem needs="admin" icon={<Trash2 />} danger onClick={() => onRemove(target)}>
          Remove target
        </MenuItem>
      </Menu>
    </div>
  )
}

/** When the keeper of a target last ran, and what it did and found; nothing without a keeper. */
function KeeperStatus({ target }: { target: BackupTargetView }) {
  const { keeper, keeper_key, place } = target
  if (keeper_key === null) return null
  if (!keeper) {
    const reason =
      place.kind === 'local'
        ? 'its report is read for targets on other machines only'
        : 'no report yet: it is read a few times a day'
    return <p className="mt-1 text-xs text-muted">Keeper: {reason}</p>
  }
  const { name, tone } = stateOf(keeper)
  return (
    <div className="mt-1 text-xs text-muted">
      <p className="flex flex-wrap items-center gap-2">
        <span>
          Keeper: last run <Time at={keeper.at} />, {formatCount(keeper.backups, 'backup')} kept,{' '}
          {formatCount(keeper.forgotten, 'snapshot')} deleted
        </span>
        <Badge tone={tone}>{name}</Badge>
      </p>
      {keeper.problems.length > 0 && <Problems of={keeper} />}
    </div>
  )
}

function stateOf({ is_late, problems }: KeeperView): { name: string; tone: Tone } {
  if (problems.some(({ code }) => code === 'damaged')) return { name: 'damaged data', tone: 'bad' }
  if (is_late) return { name: 'has not run for 3 days', tone: 'warn' }
  return problems.length > 0
    ? { name: 'has problems', tone: 'warn' }
    : { name: 'no problems', tone: 'good' }
}

function Problems({ of: { problems, troubled } }: { of: KeeperView }) {
  return (
    <details className="mt-1">
      <summary className="cursor-pointer">
        {formatCount(troubled, 'repository', 'repositories')} with problems
      </summary>
      <ul className="mt-1 flex list-disc flex-col gap-1 pl-4">
        {problems.map(({ repository, message }) => (
          <li key={`${repository} ${message}`} className="break-words">
            <span className="font-mono">{repository}</span>: {message}
          </li>
        ))}
      </ul>
    </details>
  )
}
