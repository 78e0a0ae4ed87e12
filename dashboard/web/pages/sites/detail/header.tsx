import { ExternalLink } from 'lucide-react'
import type { Site } from '#dashboard/web/api/sites.ts'
import type { TabProps } from '#dashboard/web/features/sites/tab-props.ts'
import { isWordpress, urlsOf } from '#dashboard/web/features/sites/urls.ts'
import { SiteMenu } from '#dashboard/web/pages/sites/detail/actions/site-menu.tsx'
import { LogIn } from '#dashboard/web/pages/wordpress/login/log-in.tsx'
import { ButtonAnchor } from '#dashboard/web/ui/button.tsx'
import { formatBytes } from '#dashboard/web/ui/format.ts'
import { HealthBadge } from '#dashboard/web/ui/health.tsx'
import { ListLink, ServerLink } from '#dashboard/web/ui/record-links.tsx'
import { Badge, Status } from '#dashboard/web/ui/status.tsx'
import { Lasting } from '#dashboard/web/ui/time.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { usedBytes } from '#shared/servers/disk-levels.ts'

export function Trail({ site }: { site: Site | undefined }) {
  return (
    <nav aria-label="Breadcrumb" className="flex gap-1.5">
      <ListLink to="/sites" />
      {site && (
        <>
          <span aria-hidden>/</span>
          <ServerLink id={site.server_id} className="hover:underline">
            {site.server}
          </ServerLink>
        </>
      )}
    </nav>
  )
}

/** The status, the health and the main facts of the site. */
export function About({ site }: { site: Site }) {
  const size = site.disk && usedBytes(site.disk)
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Status value={site.status} />
      {site.found && <Badge>not managed</Badge>}
      {site.staging && <Badge>staging</Badge>}
      {site.ignored && <Badge>ignored</Badge>}
      {site.closed && <Badge tone="warn">closed to visitors</Badge>}
      {site.health && <HealthBadge state={site.health} reason={site.health_reason} />}
      {site.health_since !== null && <Lasting since={site.health_since} />}
      {site.php && <span>PHP {site.php}</span>}
      {size != null && <span>{formatBytes(size)}</span>}
      {unicodeOf(site.domain) !== site.domain && <span className="break-all">{site.domain}</span>}
    </span>
  )
}

export function Actions({ site, isOnServer }: TabProps) {
  const { home, admin } = urlsOf(site)
  return (
    <>
      {isOnServer && <OutLink href={home}>Visit site</OutLink>}
      {isOnServer && isWordpress(site) && site.status !== 'suspended' && (
        <WordpressLogin site={site} admin={admin} />
      )}
      {!site.found && <SiteMenu site={site} isOnServer={isOnServer} />}
    </>
  )
}

/** A site that was found is not touched: its own login page asks. */
const WordpressLogin = ({ site, admin }: { site: Site; admin: string }) =>
  site.found ? <OutLink href={admin}>Log in to WordPress</OutLink> : <LogIn site={site} />

function OutLink({ href, children }: { href: string; children: string }) {
  return (
    <ButtonAnchor href={href} target="_blank" rel="noreferrer">
      {children}
      <ExternalLink className="text-muted" aria-label="in a new tab" />
    </ButtonAnchor>
  )
}
