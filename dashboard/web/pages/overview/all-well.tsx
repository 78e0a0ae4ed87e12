import { CircleCheckBig } from 'lucide-react'
import type { Fleet } from '#dashboard/web/api/fleet.ts'
import { formatCount } from '#dashboard/web/ui/format.ts'

/** Shown while nothing is wrong. */
export function AllWell({ fleet: { servers, counts } }: { fleet: Fleet }) {
  const { active = 0 } = counts.sites
  return (
    <section className="flex items-center gap-4 rounded-xl border border-line bg-surface px-5 py-6">
      <CircleCheckBig className="size-8 shrink-0 text-good" />
      <div>
        <h2 className="text-base font-semibold">All is well</h2>
        <p className="text-muted">
          {formatCount(servers.length, 'server')} and {formatCount(active, 'active site')}: nothing
          needs attention.
        </p>
      </div>
    </section>
  )
}
