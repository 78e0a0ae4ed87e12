import { Link } from '@tanstack/react-router'
import { COVERAGE } from '#dashboard/web/labels/backup.ts'
import { Check } from '#dashboard/web/ui/check.tsx'
import { formatBytes } from '#dashboard/web/ui/format.ts'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Cell } from '#dashboard/web/ui/table.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import type { CoveredSite } from '#shared/backups/api/backup-coverage.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface CoverageRowProps {
  site: CoveredSite
  isSelected: boolean
  onSelect: (isSelected: boolean) => void
}

export function CoverageRow({ site, isSelected, onSelect }: CoverageRowProps) {
  const { id, domain, server, state, last_at, proven_at, next_at, ...rest } = site
  const { bytes, target, last_error } = rest
  const { name, tone } = COVERAGE[state]
  return (
    <tr>
      <Cell>
        <Check name={`Select ${unicodeOf(domain)}`} checked={isSelected} onChange={onSelect} />
      </Cell>
      <Cell className="w-1/3 max-w-0 min-w-40">
        <Link
          to="/sites/$site_id"
          params={{ site_id: String(id) }}
          search={{ tab: 'backups' }}
          className="block truncate font-medium hover:underline"
        >
          {unicodeOf(domain)}
        </Link>
        <p className="truncate text-xs text-muted">{server}</p>
        {last_error !== null && (
          <p className="text-xs break-words text-bad">The last backup failed: {last_error}</p>
        )}
      </Cell>
      <Cell>
        <Badge tone={tone}>{name}</Badge>
        {last_at !== null && (
          <p className="mt-0.5 text-xs text-muted sm:hidden">
            <Time at={last_at} />
          </p>
        )}
      </Cell>
      <Cell className="max-sm:hidden">
        <Time at={last_at} />
      </Cell>
      <Cell className="max-md:hidden">
        <Time at={proven_at} />
      </Cell>
      <Cell className="text-right whitespace-nowrap tabular-nums max-lg:hidden">
        {bytes === null ? <Nothing /> : formatBytes(bytes)}
      </Cell>
      <Cell className="break-words max-lg:hidden">{target ?? <Nothing />}</Cell>
      <Cell className="max-md:hidden">
        <Next at={next_at} />
      </Cell>
    </tr>
  )
}

const Nothing = () => <span className="text-muted">–</span>

/** A backup that is due starts as soon as its server has a free place. */
function Next({ at }: { at: string | null }) {
  const now = useNow()
  if (at === null) return <span className="text-muted">not planned</span>
  return Date.parse(at) <= now ? 'due now' : <Time at={at} />
}
