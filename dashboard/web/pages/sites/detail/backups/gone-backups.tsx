import { formatTime } from '#dashboard/web/ui/format.ts'
import { Lasting } from '#dashboard/web/ui/time.tsx'
import type { SiteBackups } from '#shared/backups/api/backups.ts'

/** What the list had, and what is not in the storage any more. */
export function GoneBackups({ gone }: Pick<SiteBackups, 'gone'>) {
  return (
    <details className="border-line border-t px-4 py-3">
      <summary className="cursor-pointer text-muted">
        No longer stored: {gone.length}. The keeper deletes old backups; they cannot be restored.
      </summary>
      <ul className="mt-2 flex flex-col gap-1">
        {gone.map(({ id, at, target, gone_at }) => (
          <li key={id}>
            {formatTime(at)}
            <span className="text-muted">
              , {target}, missing <Lasting since={gone_at} />
            </span>
          </li>
        ))}
      </ul>
    </details>
  )
}
