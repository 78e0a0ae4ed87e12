import { CircleCheck } from 'lucide-react'
import type { Site } from '../../api/sites.ts'
import { OutLink } from '../../ui/out-link.tsx'
import { AdminPassword } from './admin-password.tsx'
import { urlsOf } from './urls.ts'

/** At the end of a creation: the ways into the site. */
export function Ready({ site }: { site: Site }) {
  const { home, admin } = urlsOf(site)
  return (
    <div
      role="status"
      className="flex flex-col gap-4 rounded-xl border border-good bg-good-soft p-4"
    >
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <p className="flex min-w-0 flex-1 items-center gap-2 font-semibold text-good">
          <CircleCheck className="size-5 shrink-0" aria-hidden />
          <span className="min-w-0 break-words">{site.domain} is ready</span>
        </p>
        <div className="flex flex-wrap gap-2">
          <OutLink href={home}>Open site</OutLink>
          <OutLink href={admin}>WordPress admin</OutLink>
        </div>
      </div>
      <AdminPassword site={site} />
    </div>
  )
}
