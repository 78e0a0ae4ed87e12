import { UpdatesBadge } from '#dashboard/web/features/sites/updates.tsx'
import { SiteState } from '#dashboard/web/ui/health.tsx'
import type { FleetSite } from '#shared/api/fleet.ts'
import { Marks, SelectBox, SiteLink } from './site-parts.tsx'

interface SiteCardProps {
  site: FleetSite
  isSelected: boolean
  onToggle: (id: number, isRange?: boolean) => void
}

/** A row on a phone: all of it opens the site, except the checkbox. */
export function SiteCard({ site, isSelected, onToggle }: SiteCardProps) {
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
        <div className="flex items-center gap-2 text-xs">
          <SiteState of={site} />
          {framework === 'wordpress' && (
            <span className="flex items-center gap-1.5 text-muted">
              Updates <UpdatesBadge of={updates} />
            </span>
          )}
        </div>
      </div>
    </td>
  )
}
