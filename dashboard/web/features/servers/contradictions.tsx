import { useQuery } from '@tanstack/react-query'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'

/**
 * The sites that their servers report as others, as on the overview: of one server, or one site.
 * Nothing while there are none.
 */
export function Contradictions({ of }: { of: { server_id: number } | { site_id: number } }) {
  const { data } = useQuery(fleetQuery)
  const groups = data?.attention.filter(({ kind }) => kind === 'site_identity') ?? []
  const items = groups
    .flatMap((group) => group.items)
    .filter((item) =>
      'site_id' in of ? item.site_id === of.site_id : item.server_id === of.server_id,
    )
  return items.map(({ site_id, severity, name, reason }) => (
    <Notice
      key={site_id}
      kind={severity === 'critical' ? 'bad' : 'warn'}
      title={`${name} is reported as another site`}
    >
      <p>{reason}</p>
    </Notice>
  ))
}
