import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Archive, ArrowLeft, ArrowRight } from 'lucide-react'
import {
  BACKUPS,
  coverageQuery,
  goneBackupsQuery,
  refreshGoneBackups,
} from '#dashboard/web/api/backups.ts'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { refreshedText } from '#dashboard/web/features/backups/refreshed-text.ts'
import { CloneDialog } from '#dashboard/web/features/copies/clone-dialog.tsx'
import { COVERAGE } from '#dashboard/web/labels/backup.ts'
import { useServerField } from '#dashboard/web/pages/backups/targets/server-field.tsx'
import { mistakesIn } from '#dashboard/web/ui/address.ts'
import { AddressMistakes } from '#dashboard/web/ui/address-mistakes.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { FilterBar, type Values } from '#dashboard/web/ui/filter-bar.tsx'
import { formatBytes, formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { SearchInput } from '#dashboard/web/ui/search-input.tsx'
import { Empty, QueryState } from '#dashboard/web/ui/states.tsx'
import { RecordTable } from '#dashboard/web/ui/table.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import {
  type BackupCoverage,
  BackupCoverageQuery,
  COVERAGE_STATES,
  type GoneSite,
} from '#shared/backups/api/backup-coverage.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { CoverageTable } from './coverage-table.tsx'

/** Which sites have backups: the counts, one page of them, and the backups of deleted sites. */
export function SitesTab() {
  const { part: _, operation: __, ...filters } = useSearch({ from: '/inside/backups' })
  const mistakes = mistakesIn(filters, BackupCoverageQuery)
  const { data, error, refetch } = useQuery({
    ...coverageQuery(filters),
    enabled: mistakes.length === 0,
  })
  const navigate = useNavigate({ from: '/backups' })
  const change = (to: Partial<typeof filters>, replace = false) =>
    void navigate({ search: (now) => ({ ...now, page: undefined, ...to }), replace })
  const { page: ___, ...narrowing } = filters
  if (mistakes.length > 0) return <AddressMistakes of={mistakes} />
  return (
    <>
      {data && <Summary counts={data.counts} onShow={(state) => change({ state })} />}
      <Filters values={narrowing} counts={data?.counts} onChange={change} />
      <Card flush>
        <QueryState of={{ data, error, refetch }} rows={6} flush />
        {data && data.sites.length > 0 && <CoverageTable sites={data.sites} />}
        {data && data.sites.length === 0 && (
          <Empty icon={<Archive />} title={data.counts.sites === 0 ? 'No site yet' : 'No match'}>
            {data.counts.sites === 0
              ? 'Sites that Hosting Control manages are backed up.'
              : 'No site matches the filters.'}
          </Empty>
        )}
        {data && <Pages {...data} onPage={(page) => change({ page })} />}
      </Card>
      {data && data.gone.length > 0 && <GoneSites gone={data.gone} />}
    </>
  )
}

interface PagesProps {
  page: number
  per_page: number
  total: number
  onPage: (page: string | undefined) => void
}

/** The pages of a list that is counted; nothing if there is one. */
function Pages({ page, per_page, total, onPage }: PagesProps) {
  const last = Math.ceil(total / per_page)
  if (last <= 1 && page === 1) return null
  const first = Math.min((page - 1) * per_page + 1, total)
  const open = (next: number) => () => onPage(next === 1 ? undefined : String(next))
  return (
    <nav aria-label="Pages" className="flex items-center gap-2 border-t border-line p-3">
      <span className="flex-1 pl-1 text-xs text-muted tabular-nums">
        {formatNumber(first)} to {formatNumber(Math.min(page * per_page, total))} of{' '}
        {formatNumber(total)} sites
      </span>
      <Button icon={<ArrowLeft />} disabled={page === 1} onClick={open(page - 1)}>
        Previous
      </Button>
      <Button disabled={page >= last} onClick={open(page + 1)}>
        Next
        <ArrowRight />
      </Button>
    </nav>
  )
}

interface FiltersProps {
  values: Values
  counts: BackupCoverage['counts'] | undefined
  onChange: (change: Values, replace?: boolean) => void
}

function Filters({ values, counts, onChange }: FiltersProps) {
  const { data: fleet } = useQuery(fleetQuery)
  const servers = (fleet?.servers ?? []).map(({ id, name }) => ({ value: String(id), name }))
  const states = COVERAGE_STATES.map((value) => ({
    value,
    name: `${COVERAGE[value].name}${counts ? ` (${formatNumber(counts[value])})` : ''}`,
  }))
  return (
    <FilterBar
      page="backups"
      search={
        <SearchInput
          name="Search sites"
          placeholder="Domain or system user"
          value={values.q ?? ''}
          onChange={(q, isContinued) => onChange({ q: q || undefined }, isContinued)}
          pause_ms={120}
          className="min-w-48 flex-1 sm:max-w-sm"
        />
      }
      filters={[
        { name: 'state', label: 'Backups', options: states, isMany: true },
        { name: 'server_id', label: 'Server', options: servers },
      ]}
      values={values}
      onChange={onChange}
    />
  )
}

interface SummaryProps {
  counts: BackupCoverage['counts']
  /** The states to be listed, as the address has them. */
  onShow: (state: string | undefined) => void
}

const OVERDUE = 'late,never'

/** The number of sites in each state, and a warning about those without a backup for a week. */
function Summary({ counts, onShow }: SummaryProps) {
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

/** The backups of sites that were deleted permanently, or whose server was removed. */
function GoneSites({ gone }: { gone: readonly GoneSite[] }) {
  return (
    <Card title="Backups of deleted sites" flush>
      <p className="px-4 pt-3 text-muted">
        Deleting a site keeps its backups until the owner of the storage removes them. Backups that
        were found in a target are listed here, too.
      </p>
      <RecordTable
        label="Backups of deleted sites"
        rows={gone}
        keyOf={({ domain, target }) => `${domain} ${target}`}
        columns={[
          {
            name: 'Site',
            className: 'font-medium break-all',
            show: ({ domain }) => unicodeOf(domain),
          },
          { name: 'Target', className: 'break-words max-sm:hidden', show: ({ target }) => target },
          { name: 'Backups', isNumber: true, show: ({ count }) => formatNumber(count) },
          { name: 'Last backup', show: ({ last_at }) => <Time at={last_at} /> },
          {
            name: 'Size',
            isNumber: true,
            className: 'max-md:hidden',
            show: ({ bytes }) => formatBytes(bytes),
          },
          {
            name: 'Actions',
            isUnnamed: true,
            cell: 'text-right',
            show: (site) => <GoneActions site={site} />,
          },
        ]}
      />
    </Card>
  )
}

function GoneActions({ site: { backup_id, domain, target, last_at, bytes } }: { site: GoneSite }) {
  const { dialog, show } = useDialog()
  const refreshing = useDialog()
  const { data } = useQuery({ ...goneBackupsQuery(domain), enabled: dialog.open })
  const backups = data ?? [{ id: backup_id, at: last_at, bytes, target }]
  return (
    <>
      <div className="flex flex-wrap justify-end gap-2">
        <Button
          needs="operate"
          aria-label={`Refresh list… of ${unicodeOf(domain)}`}
          onClick={refreshing.show}
        >
          Refresh list…
        </Button>
        <Button
          needs="operate"
          aria-label={`Restore ${unicodeOf(domain)} as a new site`}
          onClick={show}
        >
          Restore…
        </Button>
      </div>
      <RefreshGone {...refreshing.dialog} domain={domain} />
      <CloneDialog {...dialog} origin={{ domain, backups }} chosen={backup_id} />
    </>
  )
}

interface RefreshGoneProps extends DialogState {
  domain: string
}

/** Compares the list of backups of a deleted site with what is stored. */
const RefreshGone = dialogOf(RefreshForm, ({ domain }) => ({
  title: `Refresh the list of ${unicodeOf(domain)}`,
  about:
    'A server reads the storage. Backups that are no longer stored leave the list, and others are added.',
}))

function RefreshForm({ domain, onClose }: RefreshGoneProps) {
  const { server_id, serverField } = useServerField('Choose one that reaches the storage.')
  const { form } = useFormCall(() => refreshGoneBackups(server_id ?? 0, domain), {
    done: refreshedText,
    changes: [BACKUPS],
    onSuccess: onClose,
    onClose,
  })
  return (
    <DialogForm action="Refresh list" {...form} isBlocked={server_id === undefined}>
      {serverField}
    </DialogForm>
  )
}
