import { useQuery } from '@tanstack/react-query'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { AttentionKind } from '#shared/overview/api/attention.ts'

const TITLES: Partial<Record<AttentionKind, string>> = {
  site_identity: 'is reported as another site',
  foreign_address: 'is reported with the address of another one',
}

/**
 * The sites that their servers report as others or with the names of others, and a server that answers
 * as another one, as on the overview: of one server, or one site. Nothing while there are none.
 */
export function Contradictions({ of }: { of: { server_id: number } | { site_id: number } }) {
  const { data } = useQuery(fleetQuery)
  const items = (data?.attention ?? [])
    .flatMap(({ kind, items }) => items.map((item) => ({ ...item, title: TITLES[kind] })))
    .filter((item) => item.title !== undefined)
    .filter((item) =>
      'site_id' in of ? item.site_id === of.site_id : item.server_id === of.server_id,
    )
  return items.map(({ site_id, severity, name, reason, title }) => (
    <Notice
      key={`${title} ${site_id}`}
      kind={severity === 'critical' ? 'bad' : 'warn'}
      title={`${name} ${title}`}
    >
      <p>{reason}</p>
    </Notice>
  ))
}
