import { useQuery } from '@tanstack/react-query'
import { ListFilter, X } from 'lucide-react'
import { useState } from 'react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { type Change, NARROWING, type SitesSearch } from '#dashboard/web/features/sites/search.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { HEALTH, OWNERSHIP, PHP, SORTED_BY, STATUSES, TIERS, TLS, UPDATES } from './options.ts'
import { SearchBox } from './search-box.tsx'

interface FiltersProps {
  search: SitesSearch
  onChange: (change: Change, replace?: boolean) => void
  onClear: () => void
}

/** Narrows the sites down; on a phone behind a button. */
export function Filters({ search, onChange, onClear }: FiltersProps) {
  const [open, setOpen] = useState(false)
  const { data } = useQuery(fleetQuery)
  const servers = data?.servers ?? []
  const tags = [...new Set(servers.flatMap(({ tags }) => tags))].sort()
  const used = NARROWING.filter((name) => name !== 'q' && search[name] !== undefined).length
  const set = (name: keyof SitesSearch) => (value: string | undefined) =>
    onChange({ [name]: value })
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchBox
        value={search.q ?? ''}
        onSearch={(q, isContinued) => onChange({ q: q || undefined }, isContinued)}
      />
      <Button
        className="md:hidden"
        icon={<ListFilter aria-hidden />}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        Filters{used > 0 && ` (${used})`}
      </Button>
      <Chips search={search} onChange={onChange} />
      {(used > 0 || search.q) && (
        <Button kind="quiet" icon={<X aria-hidden />} onClick={onClear}>
          Clear
        </Button>
      )}
      <div
        className={cx(
          'order-last w-full grid-cols-2 flex-wrap items-center gap-2 md:flex md:w-auto md:[&_select]:w-auto',
          open ? 'grid' : 'hidden',
        )}
      >
        <FilterSelect
          name="Server"
          value={search.server_id}
          options={servers.map(({ id, name }) => ({ value: String(id), name }))}
          onChange={set('server_id')}
        />
        <FilterSelect
          name="Tag"
          value={search.tag}
          options={tags.map((tag) => ({ value: tag, name: tag }))}
          onChange={set('tag')}
        />
        <FilterSelect
          name="Status"
          value={search.status}
          options={STATUSES}
          onChange={set('status')}
        />
        <FilterSelect
          name="Health"
          value={search.health}
          options={HEALTH.map(({ value, name }) => ({
            value,
            name: `${name} (${formatNumber(countOf(data?.counts.health, value))})`,
          }))}
          onChange={set('health')}
        />
        <FilterSelect name="PHP" value={search.php} options={PHP} onChange={set('php')} />
        <FilterSelect name="Tier" value={search.tier} options={TIERS} onChange={set('tier')} />
        <FilterSelect name="TLS" value={search.tls} options={TLS} onChange={set('tls')} />
        <FilterSelect
          name="Managed"
          value={ownershipOf(search)}
          options={OWNERSHIP}
          onChange={(value) => onChange(OWNERSHIP_FILTERS[value ?? ''] ?? ANY_OWNERSHIP)}
        />
        <FilterSelect
          name="Updates"
          value={search.updates}
          options={UPDATES}
          onChange={set('updates')}
        />
        <div className="md:hidden">
          <FilterSelect
            name="Order"
            value={search.sort}
            options={SORTED_BY}
            onChange={set('sort')}
          />
        </div>
      </div>
    </div>
  )
}

const ANY_OWNERSHIP = { managed: undefined, ignored: undefined }
const OWNERSHIP_FILTERS: Record<string, Change> = {
  managed: { managed: 'true', ignored: undefined },
  found: { managed: 'false', ignored: undefined },
  ignored: { managed: undefined, ignored: 'true' },
}

function ownershipOf({ managed, ignored }: SitesSearch): string | undefined {
  if (ignored === 'true') return 'ignored'
  return managed && (managed === 'true' ? 'managed' : 'found')
}

const countOf = (counts: Record<string, number> | undefined, value: string) =>
  value.split(',').reduce((sum, state) => sum + (counts?.[state] ?? 0), 0)

const CHIPS = [
  ['expiring', 'true', 'Certificate ends soon'],
  ['expiring', 'false', 'Certificate lasts'],
  ['conflict', 'true', 'Also on another server'],
  ['conflict', 'false', 'On one server only'],
] as const

/** What other pages narrow down by; it can be taken away. */
function Chips({ search, onChange }: Pick<FiltersProps, 'search' | 'onChange'>) {
  const { framework } = search
  const chips = CHIPS.filter(([name, value]) => search[name] === value)
  const others = framework ? ([['framework', framework, `Type: ${framework}`]] as const) : []
  return [...chips, ...others].map(([name, , text]) => (
    <Button
      key={name}
      icon={<X aria-hidden />}
      aria-label={`Do not filter: ${text}`}
      onClick={() => onChange({ [name]: undefined })}
      className="border-accent! bg-accent-soft! text-accent!"
    >
      {text}
    </Button>
  ))
}
