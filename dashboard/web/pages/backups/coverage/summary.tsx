import { COVERAGE } from '#dashboard/web/labels/backup.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { type BackupCoverage, COVERAGE_STATES } from '#shared/backups/api/backup-coverage.ts'

interface SummaryProps {
  counts: BackupCoverage['counts']
  /** The states to be listed, as the address has them. */
  onShow: (state: string | undefined) => void
}

const OVERDUE = 'late,never'

/** How many sites are in each state, and a warning about those without a backup for a week. */
export function Summary({ counts, onShow }: SummaryProps) {
  const { week, sites, failed, unproven, unproven_week } = counts
  return (
    <>
      {week > 0 && (
        <Notice
          kind="bad"
          title={`${formatCount(week, 'site has', 'sites have')} had no backup for 7 days`}
          actions={<Button onClick={() => onShow(OVERDUE)}>Show sites</Button>}
        >
          The reason is in the list and on the page of each site.
        </Notice>
      )}
      {failed > 0 && (
        <Notice
          kind="bad"
          title={`The last proof of ${formatCount(failed, 'site')} had findings`}
          actions={<Button onClick={() => onShow('failed')}>Show sites</Button>}
        >
          The backup was restored into a hidden site and was not complete, or did not work. Back the
          site up again, then prove the new backup.
        </Notice>
      )}
      {unproven > 0 && (
        <Notice
          kind="warn"
          title={`${formatCount(unproven, 'site has', 'sites have')} no recently proven backup`}
          actions={<Button onClick={() => onShow('unproven')}>Show sites</Button>}
        >
          Their backups have not been restored and checked for two intervals.
        </Notice>
      )}
      <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4 xl:grid-cols-7">
        <Tile name="Sites" count={sites} onClick={() => onShow(undefined)} />
        {COVERAGE_STATES.map((state) => (
          <Tile
            key={state}
            name={COVERAGE[state].name}
            count={counts[state]}
            onClick={() => onShow(state)}
          />
        ))}
      </ul>
      {unproven_week > 0 && (
        <p className="text-muted">
          {formatCount(unproven_week, 'site', 'sites')} without a proven backup in 7 days
        </p>
      )}
    </>
  )
}

interface TileProps {
  name: string
  count: number
  onClick: () => void
}

const Tile = ({ name, count, onClick }: TileProps) => (
  <li className="flex">
    <button
      type="button"
      onClick={onClick}
      className="flex-1 cursor-pointer rounded-xl border border-line bg-surface px-4 py-3 text-left transition hover:border-line-strong"
    >
      <span className="block text-xs text-muted">{name}</span>
      <span className="block text-2xl font-semibold tracking-tight tabular-nums">
        {formatNumber(count)}
      </span>
    </button>
  </li>
)
