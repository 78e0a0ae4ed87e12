import { formatDuration } from '#dashboard/web/ui/format.ts'
import { Badge, Status } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'

/** The main facts of the server in one line. */
export function Header({ server }: { server: FleetServerDetail }) {
  const { status, hostname, port, os, version, metrics, tags, last_sync } = server
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
      <span aria-live="polite">
        <Status value={status} />
      </span>
      <span className="break-all">
        {hostname}:{port}
      </span>
      {os && <span>{os}</span>}
      {version && <span>Agent {version}</span>}
      {metrics && status === 'online' && <span>up {formatDuration(metrics.uptime * 1000)}</span>}
      <span>
        synced <Time at={last_sync} />
      </span>
      <span className="flex flex-wrap gap-1.5 empty:hidden">
        {tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </span>
    </div>
  )
}
