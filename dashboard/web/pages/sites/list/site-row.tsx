import { Copy, LoaderCircle } from 'lucide-react'
import { memo } from 'react'
import { UpdatesBadge } from '#dashboard/web/features/sites/updates.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { NotManaged, SiteState } from '#dashboard/web/ui/health.tsx'
import { placeOf, useMay } from '#dashboard/web/ui/rights.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetSite } from '#shared/overview/api/fleet.ts'
import { COLUMNS, GRID } from './columns.tsx'

interface SiteRowProps {
  /** The site of the row; undefined while it is loading. */
  site: FleetSite | undefined
  index: number
  height: number
  isCard: boolean
  isActive: boolean
  isSelected: boolean
  onToggle: (id: number, isRange?: boolean) => void
}

export const rowId = (index: number): string => `site-row-${index}`

/** One site at its position in the list. Drawn again only when it changes. */
export const SiteRow = memo(function SiteRow(props: SiteRowProps) {
  const { site, index, height, isCard, isActive, isSelected } = props
  return (
    <tr
      id={rowId(index)}
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      style={{ height, transform: `translateY(${index * height}px)` }}
      className={cx(
        'absolute inset-x-0 top-0 border-b border-line',
        isSelected ? 'bg-accent-soft' : 'hover:bg-sunken',
        isActive &&
          'group-focus-visible/grid:outline-2 group-focus-visible/grid:-outline-offset-2 group-focus-visible/grid:outline-accent',
        !isCard && GRID,
        !isCard && 'items-center',
      )}
    >
      {!site && <Loading />}
      {site && (isCard ? <SiteCard {...props} site={site} /> : <Cells {...props} site={site} />)}
    </tr>
  )
})

function Cells({ site, isSelected, onToggle }: SiteRowProps & { site: FleetSite }) {
  return (
    <>
      <td className="flex h-full items-center">
        <SelectBox site={site} isSelected={isSelected} onToggle={onToggle} />
      </td>
      <td className="flex min-w-0 items-center gap-2 overflow-hidden pr-3">
        <SiteLink site={site} className="min-w-20" />
        <Marks site={site} />
      </td>
      {COLUMNS.map(({ name, from = 'flex', show }) => (
        <td key={name} className={cx(from, 'min-w-0 items-center pr-3')}>
          <span className="truncate">{show(site)}</span>
        </td>
      ))}
    </>
  )
}

function Loading() {
  return (
    <td aria-label="Loading" className="col-span-full px-3">
      <span className="block h-4 w-2/3 max-w-md rounded bg-sunken" />
    </td>
  )
}

/** A row on a phone: all of it opens the site, except the checkbox. */
function SiteCard({ site, isSelected, onToggle }: SiteRowProps & { site: FleetSite }) {
  const { server, wp_version, framework, php, tier, updates } = site
  const facts = [server, wp_version && `WP ${wp_version}`, php && `PHP ${php}`, tier]
  return (
    <td className="flex h-full items-center">
      <SelectBox site={site} isSelected={isSelected} onToggle={onToggle} />
      <div className="flex min-w-0 flex-1 flex-col gap-1 pr-4">
        <div className="flex min-w-0 items-center gap-2">
          <SiteLink site={site} className="after:absolute after:inset-0" />
          <Marks site={site} />
        </div>
        <div className="truncate text-xs text-muted">{facts.filter(Boolean).join(' · ')}</div>
        <div className="flex min-w-0 items-center gap-2 overflow-hidden text-xs">
          <SiteState of={site} />
          {site.visited_at !== null && (
            <span className="min-w-0 truncate text-muted max-[24rem]:hidden">
              <Time at={site.visited_at} />
            </span>
          )}
          {framework === 'wordpress' && (
            <span className="flex shrink-0 items-center gap-1.5 text-muted">
              Updates <UpdatesBadge of={updates} />
            </span>
          )}
        </div>
      </div>
    </td>
  )
}

/** The list handles its clicks and opens the site without a page load. */
function SiteLink({ site, className }: { site: FleetSite; className?: string }) {
  return (
    <a
      href={`/sites/${site.id}`}
      data-site={site.id}
      tabIndex={-1}
      title={site.domain}
      className={cx('truncate font-medium hover:underline', className)}
    >
      {unicodeOf(site.domain)}
    </a>
  )
}

interface SelectBoxProps {
  site: FleetSite
  isSelected: boolean
  onToggle: (id: number, isRange?: boolean) => void
}

function SelectBox({ site, isSelected, onToggle }: SelectBoxProps) {
  const may = useMay()
  if (!may('operate', placeOf(site))) return null
  return (
    <label className="relative z-10 flex size-10 select-none items-center justify-center">
      <input
        type="checkbox"
        tabIndex={-1}
        checked={isSelected}
        onChange={({ nativeEvent }) =>
          onToggle(site.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
        aria-label={`Select ${unicodeOf(site.domain)}`}
        className="size-4 accent-accent-solid"
      />
    </label>
  )
}

/** The marks beside the name: running, not managed, ignored, or on other servers too. */
function Marks({ site }: { site: FleetSite }) {
  const { operation_id, found, ignored, staging, also_on } = site
  const servers = also_on.map(({ server }) => server).join(', ')
  return (
    <>
      {operation_id && <Busy />}
      {found && <NotManaged />}
      {staging && <Badge>staging</Badge>}
      {ignored && <Badge>ignored</Badge>}
      {servers !== '' && (
        <Badge tone="warn" title={`The same name is also on ${servers}`}>
          <Copy className="size-3" />
          <span className="sr-only">also on {servers}</span>
        </Badge>
      )}
    </>
  )
}

function Busy() {
  return (
    <LoaderCircle
      className="size-3.5 shrink-0 animate-spin text-accent"
      aria-label="An operation is running"
    />
  )
}
