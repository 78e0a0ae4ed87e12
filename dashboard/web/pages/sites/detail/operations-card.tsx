import { Link } from '@tanstack/react-router'
import type { Site } from '#dashboard/web/api/sites.ts'
import { operationName } from '#dashboard/web/labels/operation.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'

/** The last operations on it, each with a page of its own. */
export function OperationsCard({ site }: { site: Site }) {
  return (
    <Card title="Operations" flush>
      <ul className="divide-y divide-line">
        {site.operations.map(({ id, type, status, created_at }) => (
          <li key={id} className="flex items-center gap-3 px-4 py-2">
            <Link
              to="/operations/$operation_id"
              params={{ operation_id: id }}
              className="min-w-0 flex-1 truncate hover:underline"
            >
              {operationName(type)}
            </Link>
            <Status value={status} />
            <span className="w-24 text-right text-xs text-muted">
              <Time at={created_at} />
            </span>
          </li>
        ))}
      </ul>
      {site.operations.length === 0 && (
        <p className="p-4 text-muted">
          Nothing was begun here yet. Creating, changing, scanning: each is kept with its log.
        </p>
      )}
    </Card>
  )
}
