import { memo } from 'react'
import { cx } from '#dashboard/web/ui/cx.ts'
import type { FleetSite } from '#shared/api/fleet.ts'
import { COLUMNS, GRID } from './columns.tsx'
import { SiteCard } from './site-card.tsx'
import { Marks, SelectBox, SiteLink } from './site-parts.tsx'

interface SiteRowProps {
  /** Undefined while it is loading. */
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
      {!site && <Coming />}
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
      <td className="flex min-w-0 items-center gap-2 pr-3">
        <SiteLink site={site} />
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

function Coming() {
  return (
    <td aria-label="Loading" className="col-span-full px-3">
      <span className="block h-4 w-2/3 max-w-md rounded bg-sunken" />
    </td>
  )
}
