import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AdminPassword } from '#dashboard/web/pages/sites/detail/access/admin-password.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'

/** Shown after a creation: the WordPress login, and whether HTTPS is missing. */
export function Ready({ site, hasWarnings }: { site: Site; hasWarnings: boolean }) {
  const Icon = hasWarnings ? TriangleAlert : CircleCheck
  return (
    <div
      role="status"
      className={cx(
        'flex flex-col gap-4 rounded-xl border p-4',
        hasWarnings ? 'border-warn bg-warn-soft' : 'border-good bg-good-soft',
      )}
    >
      <div className="flex flex-wrap items-center gap-x-6 gap-y-3">
        <p
          className={cx(
            'flex min-w-0 flex-1 items-center gap-2 font-semibold',
            hasWarnings ? 'text-warn' : 'text-good',
          )}
        >
          <Icon className="size-5 shrink-0" />
          <span className="min-w-0 break-words">
            {site.domain} is ready{hasWarnings && ', without HTTPS'}
          </span>
        </p>
      </div>
      <AdminPassword site={site} />
    </div>
  )
}
