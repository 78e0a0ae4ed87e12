import { Link } from '@tanstack/react-router'
import { Archive, X } from 'lucide-react'
import { useState } from 'react'
import { COVERAGE } from '#dashboard/web/labels/backup.ts'
import { BULK_ACTIONS } from '#dashboard/web/pages/sites/list/bulk-actions.ts'
import { BulkDialog } from '#dashboard/web/pages/sites/list/bulk-dialog.tsx'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { Check } from '#dashboard/web/ui/check.tsx'
import { formatBytes, formatNumber } from '#dashboard/web/ui/format.ts'
import { placeOf, useMay } from '#dashboard/web/ui/rights.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import type { Column } from '#dashboard/web/ui/table.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time, useNow } from '#dashboard/web/ui/time.tsx'
import type { CoveredSite } from '#shared/backups/api/backup-coverage.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

const NONE: ReadonlySet<number> = new Set()
const BACK_UP = BULK_ACTIONS.find(({ type }) => type === 'backup.create')

/** One page of sites; those that are selected can be backed up now. */
export function CoverageTable({ sites }: { sites: readonly CoveredSite[] }) {
  const [selected, setSelected] = useState(NONE)
  const [isOpen, setIsOpen] = useState(false)
  const may = useMay()
  const all = new Set(sites.flatMap((site) => (may('operate', placeOf(site)) ? [site.id] : [])))
  // The selection is that of the shown sites.
  const ids = selected.intersection(all)
  const select = (id: number, isChosen: boolean) =>
    setSelected(isChosen ? new Set([...ids, id]) : ids.difference(new Set([id])))
  return (
    <>
      <RecordTable
        label="Backups of sites"
        rows={sites}
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'Selected',
            heading: all.size > 0 && (
              <Check
                name="Select all sites on this page"
                checked={ids.size === all.size}
                mixed={ids.size > 0 && ids.size < all.size}
                onChange={(isChosen) => setSelected(isChosen ? all : NONE)}
              />
            ),
            className: 'w-8',
            show: ({ id, domain }) =>
              all.has(id) && (
                <Check
                  name={`Select ${unicodeOf(domain)}`}
                  checked={ids.has(id)}
                  onChange={(isChosen) => select(id, isChosen)}
                />
              ),
          },
          ...COLUMNS,
        ]}
      />
      {ids.size > 0 && (
        <SelectionBar
          count={ids.size}
          onBackUp={() => setIsOpen(true)}
          onClear={() => setSelected(NONE)}
        />
      )}
      <BulkDialog
        action={isOpen ? BACK_UP : undefined}
        ids={ids}
        onClose={() => setIsOpen(false)}
        onStarted={() => setSelected(NONE)}
      />
    </>
  )
}

interface SelectionBarProps {
  count: number
  onBackUp: () => void
  onClear: () => void
}

const SelectionBar = ({ count, onBackUp, onClear }: SelectionBarProps) => (
  <section
    aria-label="Selected sites"
    className="sticky bottom-3 z-20 mx-auto my-3 flex w-fit items-center gap-1 rounded-xl border border-line-strong bg-raised p-2 shadow-lg"
  >
    <span role="status" className="px-2 font-medium tabular-nums">
      {formatNumber(count)} selected
    </span>
    <Button kind="quiet" icon={<Archive />} onClick={onBackUp}>
      Back up
    </Button>
    <IconButton name="Clear selection" icon={<X />} onClick={onClear} />
  </section>
)

const COLUMNS: readonly Column<CoveredSite>[] = [
  {
    name: 'Site',
    cell: 'w-1/3 max-w-0 min-w-40',
    show: ({ id, domain, server, last_error }) => (
      <>
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
      </>
    ),
  },
  {
    name: 'Backups',
    show: ({ state, last_at }) => (
      <>
        <Badge tone={COVERAGE[state].tone}>{COVERAGE[state].name}</Badge>
        {last_at !== null && (
          <p className="mt-0.5 text-xs text-muted sm:hidden">
            <Time at={last_at} />
          </p>
        )}
      </>
    ),
  },
  { name: 'Last backup', className: 'max-sm:hidden', show: ({ last_at }) => <Time at={last_at} /> },
  {
    name: 'Last proven',
    className: 'max-md:hidden',
    show: ({ proven_at }) => <Time at={proven_at} />,
  },
  {
    name: 'Size',
    isNumber: true,
    className: 'max-lg:hidden',
    show: ({ bytes }) => (bytes === null ? <Nothing /> : formatBytes(bytes)),
  },
  {
    name: 'Target',
    className: 'break-words max-lg:hidden',
    show: ({ target }) => target ?? <Nothing />,
  },
  { name: 'Next backup', className: 'max-md:hidden', show: ({ next_at }) => <Next at={next_at} /> },
]

const Nothing = () => <span className="text-muted">–</span>

/** A backup that is due starts as soon as its server has a free place. */
function Next({ at }: { at: string | null }) {
  const now = useNow()
  if (at === null) return <span className="text-muted">not planned</span>
  return Date.parse(at) <= now ? 'due now' : <Time at={at} />
}
