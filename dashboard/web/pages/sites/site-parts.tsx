import { LoaderCircle } from 'lucide-react'
import type { FleetSite } from '#shared/api/fleet.ts'
import { cx } from '../../ui/cx.ts'

/** The list hears its clicks, and opens the site without loading the page anew. */
export function SiteLink({ site, className }: { site: FleetSite; className?: string }) {
  return (
    <a
      href={`/sites/${site.id}`}
      data-site={site.id}
      tabIndex={-1}
      title={site.domain}
      className={cx('truncate font-medium hover:underline', className)}
    >
      {site.domain}
    </a>
  )
}

interface SelectBoxProps {
  site: FleetSite
  isSelected: boolean
  onToggle: (id: number) => void
}

export function SelectBox({ site, isSelected, onToggle }: SelectBoxProps) {
  return (
    <label className="relative z-10 flex size-10 items-center justify-center">
      <input
        type="checkbox"
        tabIndex={-1}
        checked={isSelected}
        onChange={() => onToggle(site.id)}
        aria-label={`Select ${site.domain}`}
        className="size-4 accent-accent-solid"
      />
    </label>
  )
}

export function Busy() {
  return (
    <LoaderCircle
      className="size-3.5 shrink-0 animate-spin text-accent"
      aria-label="An operation is under way"
    />
  )
}
