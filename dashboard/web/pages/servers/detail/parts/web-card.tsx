import { useQuery } from '@tanstack/react-query'
import { webQuery } from '#dashboard/web/api/servers.ts'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { unknownText } from '#dashboard/web/ui/unknown-text.ts'
import type { ServerWeb, UnnamedSiteView } from '#shared/sites/api/web.ts'

/** The web servers, and their sites that no list of sites contains. */
export function WebCard({ server_id }: { server_id: number }) {
  const { data } = useQuery(webQuery(server_id))
  if (!data || (data.programs.length === 0 && data.unnamed_total === 0)) return null
  return (
    <Card title="Web servers" flush>
      <div className="divide-y divide-line">
        {data.programs.map((program) => (
          <Program key={program.program} of={program} />
        ))}
        {data.unnamed_total > 0 && <Unnamed web={data} />}
      </div>
    </Card>
  )
}

function Program({ of: { program, ports, understood } }: { of: ServerWeb['programs'][number] }) {
  const name = program || 'Another program'
  return (
    <div className="px-4 py-2.5">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="flex-1 font-medium break-all">{name}</span>
        <span className="text-xs text-muted">
          {ports.length === 1 ? 'port' : 'ports'} {ports.join(' and ')}
        </span>
        {!understood && <Badge tone="warn">sites not found</Badge>}
      </p>
      {!understood && (
        <p className="mt-0.5 text-xs text-muted">
          Its sites keep running, and are not listed here: only sites of nginx, Apache, Caddy and
          OpenLiteSpeed can be found.
        </p>
      )}
    </div>
  )
}

function Unnamed({ web: { unnamed, unnamed_total } }: { web: ServerWeb }) {
  return (
    <section className="px-4 py-2.5">
      <p className="font-medium">{formatCount(unnamed_total, 'site')} without a domain</p>
      <p className="mt-0.5 text-xs text-muted">
        They are not listed as sites because they answer to a pattern, to an IP address, or to any
        name that no other site has.
      </p>
      <ul className="mt-2 flex max-h-80 flex-col gap-2 overflow-y-auto text-xs">
        {unnamed.map((site) => (
          <li key={`${site.names.join(' ')} ${site.docroot}`}>
            <p className="font-medium break-all">{namesOf(site)}</p>
            <p className="break-words text-muted">{factsOf(site)}</p>
          </li>
        ))}
      </ul>
      {unnamed_total > unnamed.length && (
        <p className="mt-2 text-xs text-muted">The first {unnamed.length} are shown.</p>
      )}
    </section>
  )
}

const namesOf = ({ names }: UnnamedSiteView) =>
  names.map((name) => (name === '_' ? 'any other name (catch-all)' : name)).join(', ')

const KINDS = { wordpress: 'WordPress', php: 'PHP', static: 'static files' }

function factsOf({ framework, wp_version, php, docroot, user, unknown, closed }: UnnamedSiteView) {
  const kind =
    framework === 'unknown'
      ? `kind ${unknownText(unknown, 'framework') ?? 'unknown'}`
      : `${KINDS[framework]}${wp_version && ` ${wp_version}`}`
  const version = php === '' ? unknownText(unknown, 'php') : php
  const folder = docroot === '' ? unknownText(unknown, 'docroot') : docroot
  return [
    ...(closed ? ['closed to visitors'] : []),
    kind,
    ...(version ? [`PHP ${version}`] : []),
    ...(folder ? [`folder ${folder}`] : []),
    ...(user ? [`user ${user}`] : []),
  ].join(' · ')
}
