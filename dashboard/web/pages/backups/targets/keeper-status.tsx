import { formatCount } from '#dashboard/web/ui/format.ts'
import { Badge, type Tone } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { BackupTargetView, KeeperView } from '#shared/backups/api/backups.ts'

/** When the keeper of a target last ran, and what it did and found; nothing without a keeper. */
export function KeeperStatus({ target }: { target: BackupTargetView }) {
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
