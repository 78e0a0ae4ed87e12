import { Notice } from '#dashboard/web/ui/notice.tsx'
import { SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetSite } from '#shared/overview/api/fleet.ts'

/** The same name on other servers, as during a move: visitors reach the one in DNS. */
export function SameNameNotice({ domain, also_on }: Pick<FleetSite, 'domain' | 'also_on'>) {
  if (also_on.length === 0) return null
  return (
    <Notice kind="info" title="Other servers have a site with this name">
      <p>
        Visitors reach the server that the DNS of {unicodeOf(domain)} names. It is also on{' '}
        {also_on.map(({ site_id, server_id, server }, at) => (
          <span key={site_id}>
            {at > 0 && ', '}
            <SiteLink
              id={site_id}
              server_id={server_id}
              className="font-medium text-accent hover:underline"
            >
              {server}
            </SiteLink>
          </span>
        ))}
        .
      </p>
    </Notice>
  )
}
