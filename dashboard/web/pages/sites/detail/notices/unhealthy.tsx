import { RotateCw, ScrollText, ShieldCheck } from 'lucide-react'
import { restartService } from '#dashboard/web/api/servers.ts'
import { issueTls } from '#dashboard/web/api/site-work.ts'
import { type Site, siteQuery } from '#dashboard/web/api/sites.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { nameOfHealth } from '#dashboard/web/ui/health.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { RightsAt } from '#dashboard/web/ui/rights.tsx'
import { Lasting } from '#dashboard/web/ui/time.tsx'
import { healthAdvice } from '#shared/health/health-advice.ts'

/** Why a site is not up, since when, and what helps. */
export function Unhealthy({ site }: { site: Site }) {
  const { health, health_code, health_reason, health_since } = site
  // That a server is offline has a notice of its own.
  if (health === null || health === 'up' || health_code === 'server_offline') return null
  const advice = healthAdvice(health_code, site)
  return (
    <Notice
      kind={health === 'down' ? 'bad' : 'warn'}
      title={health_reason}
      actions={
        <>
          <ViewLog site={site} />
          {!site.found && <Help site={site} />}
        </>
      }
    >
      {advice && <p>{`${advice[0]?.toUpperCase()}${advice.slice(1)}.`}</p>}
      {health_since !== null && (
        <p className="text-muted">
          {nameOfHealth(health)} <Lasting since={health_since} />. The check repeats automatically.
        </p>
      )}
    </Notice>
  )
}

/** The log of the last failed operation, which may be the cause. */
function ViewLog({ site }: { site: Site }) {
  const operation = problemOperation(site.operations)
  if (!operation) return null
  return (
    <ButtonLink
      to="/operations/$operation_id"
      params={{ operation_id: operation.id }}
      icon={<ScrollText />}
    >
      View log
    </ButtonLink>
  )
}

const SLOW = ['http_gateway', 'http_timeout', 'visit_timeout']

function Help({ site }: { site: Site }) {
  const { health_code: code, health, operation_id } = site
  if (operation_id !== null || health === 'unknown') return null
  if (code.startsWith('certificate_') && site.tls !== 'none') return <Issue site={site} />
  const isPhp = code.startsWith('php_') || SLOW.includes(code)
  if (isPhp) return <Restart site={site} service={`php-fpm:${site.user}`} name="PHP" />
  if (code === 'database_away') return <Restart site={site} service="mariadb" name="MariaDB" />
  if (code === 'http_refused' || code === 'visit_refused')
    return <Restart site={site} service="nginx" name="nginx" />
  return null
}

const Restart = ({ site, service, name }: { site: Site; service: string; name: string }) => (
  <RightsAt server_id={site.server_id}>
    <ActionButton
      needs="operate"
      icon={<RotateCw />}
      call={() => restartService(site.server_id, service)}
      done={`${name} was restarted`}
      changes={[siteQuery(site.id).queryKey]}
    >
      Restart {name}
    </ActionButton>
  </RightsAt>
)

function Issue({ site }: { site: Site }) {
  const start = useStart(site.id)
  const tls = site.tls === 'other' ? 'letsencrypt' : site.tls
  return (
    <ActionButton needs="operate" icon={<ShieldCheck />} call={() => start(issueTls(site, tls))}>
      Recheck and issue
    </ActionButton>
  )
}

type Operation = Site['operations'][number]

const hasProblem = ({ status, warnings }: Operation) => status === 'failed' || warnings.length > 0

/**
 * The last operation that failed or has warnings, whose log may show why a site does not work;
 * undefined when the same operation has succeeded since then. `operations`: newest first.
 */
function problemOperation(operations: readonly Operation[]): Operation | undefined {
  const done = new Set<string>()
  for (const operation of operations) {
    if (hasProblem(operation) && !done.has(operation.type)) return operation
    if (operation.status === 'success') done.add(operation.type)
  }
  return undefined
}
