import { Copy, LoaderCircle } from 'lucide-react'
import { cx } from '#dashboard/web/ui/cx.ts'
import { NotManaged } from '#dashboard/web/ui/health.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetSite } from '#shared/overview/api/fleet.ts'

/** The list handles its clicks and opens the site without a page load. */
export function SiteLink({ site, className }: { site: FleetSite; className?: string }) {
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

export function SelectBox({ site, isSelected, onToggle }: SelectBoxProps) {
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
export function Marks({ site }: { site: FleetSite }) {
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
