import { z } from 'zod'
import { type Api, messageOf } from '#scripts/lib/api.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { TlsMode } from '#shared/kernel/fields.ts'
import { AdminPassword } from '#shared/servers/agent.ts'
import type { Site } from './options.ts'

const FleetSites = z.object({
  sites: z.array(
    z.object({
      id: z.number(),
      domain: z.string(),
      tls: TlsMode,
      status: z.string(),
      status_reason: z.string(),
    }),
  ),
})
const CreatedSite = z.object({ site: z.object({ id: z.number() }) })
const Detail = z.object({
  server: z.object({
    php_versions: z.array(z.string()),
    services: z.array(z.object({ status: z.string() })),
  }),
})

/**
 * Creates a WordPress site on the server, with the programs that it needs, and prints its address
 * and login. An existing site is only shown: its password stays. Throws one line with the problem.
 */
export async function provideSite(api: Api, server_id: number, site: Site): Promise<void> {
  const found = await findSite(api, server_id, site.domain)
  if (found) {
    showAddress(found)
    console.log('  WordPress login:     unchanged; the dashboard sets a new password')
    return
  }
  const id = await createSite(api, server_id, site)
  showAddress(site)
  const answer = await api.request('POST', `/api/servers/${server_id}/sites/${id}/admin-password`)
  if (answer.status !== 200) {
    console.log(`  WordPress login:     unknown: ${messageOf(answer)}`)
    return
  }
  const { user, password } = AdminPassword.parse(answer.body)
  console.log(
    `  WordPress login:     ${user}\n  password:            ${password.reveal()}   (shown only once)`,
  )
}

async function findSite(api: Api, server_id: number, domain: string) {
  const { sites } = FleetSites.parse(
    (await api.call('GET', `/api/fleet/sites?server_id=${server_id}&q=${domain}`)).body,
  )
  const site = sites.find((one) => one.domain === domain)
  if (site && site.status !== 'active') {
    throw new Error(
      `it exists and is ${site.status}${site.status_reason && `: ${site.status_reason}`}`,
    )
  }
  return site
}

async function createSite(api: Api, server_id: number, { domain, tls }: Site): Promise<number> {
  const php = await readyPhp(api, server_id)
  console.log(`Creating the WordPress site ${domain}`)
  const body = { domain, tls, php }
  const answer = await api.call('POST', `/api/servers/${server_id}/sites`, body)
  const operation = answer.headers.get(OPERATION_HEADER)
  await api.follow('GET', `/api/operations/${operation}/events`, { onLog: show })
  return CreatedSite.parse(answer.body).site.id
}

/** Returns the newest PHP of the server, which first gets the missing programs for sites. */
async function readyPhp(api: Api, server_id: number): Promise<string> {
  const before = await readServer(api, server_id)
  if (before.php !== undefined && before.complete) return before.php
  console.log('Preparing this machine for sites')
  await api.follow('POST', `/api/servers/${server_id}/provision`, { body: {}, onLog: show })
  await api.follow('POST', `/api/servers/${server_id}/sync`)
  const { php } = await readServer(api, server_id)
  if (php === undefined) throw new Error('the server reports no PHP version')
  return php
}

async function readServer(api: Api, server_id: number) {
  const answer = await api.call('GET', `/api/fleet/servers/${server_id}`)
  const { php_versions, services } = Detail.parse(answer.body).server
  return {
    php: php_versions.toSorted((a, b) => Number(a) - Number(b)).at(-1),
    complete: services.length > 0 && services.every(({ status }) => status !== 'missing'),
  }
}

const show = (line: string) => console.log(`  ${line}`)

function showAddress({ domain, tls }: Site): void {
  const scheme = tls === 'none' ? 'http' : 'https'
  const port = tls === 'none' ? 80 : 443
  const insecure = tls === 'self-signed' ? ' --insecure' : ''
  console.log(`
${scheme}://${domain}/
  from a shell here:   curl${insecure} --resolve ${domain}:${port}:127.0.0.1 ${scheme}://${domain}/
  from a browser here: add the line "127.0.0.1 ${domain}" to /etc/hosts`)
}
