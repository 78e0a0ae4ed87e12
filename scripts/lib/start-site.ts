import { z } from 'zod'
import { AdminPassword } from '#shared/agent.ts'
import { type Api, wordsOf } from './api.ts'
import type { Site } from './start-options.ts'

const Sites = z.object({
  sites: z.array(z.object({ id: z.number(), domain: z.string() })),
})
const CreatedSite = z.object({ site: z.object({ id: z.number() }) })
const Detail = z.object({ server: z.object({ php_versions: z.array(z.string()) }) })

/**
 * Makes a WordPress site on the server, with the programs it needs when they are missing, and
 * prints where it is and who may log in. A site that is there already is only shown. Throws what
 * went wrong in one line.
 */
export async function makeSite(api: Api, server_id: number, site: Site): Promise<void> {
  const path = `/api/servers/${server_id}`
  const id = (await findSite(api, path, site.domain)) ?? (await createSite(api, path, site))
  showAddress(site)
  const answer = await api.ask('POST', `${path}/sites/${id}/admin-password`)
  if (answer.status !== 200) {
    console.log(`  WordPress login: not known (${wordsOf(answer)})`)
    return
  }
  const { user, password } = AdminPassword.parse(answer.body)
  console.log(`  WordPress login: ${user}\n  password:        ${password}`)
}

async function findSite(api: Api, path: string, domain: string): Promise<number | undefined> {
  const { sites } = Sites.parse((await api.call('GET', `${path}/sites`)).body)
  return sites.find((one) => one.domain === domain)?.id
}

async function createSite(api: Api, path: string, { domain, tls }: Site): Promise<number> {
  const php = await readyPhp(api, path)
  console.log(`Making the WordPress site ${domain}`)
  const answer = await api.call('POST', `${path}/sites`, { domain, tls, php })
  await follow(api, answer.headers)
  return CreatedSite.parse(answer.body).site.id
}

/** The newest PHP of the server; one without any gets everything that sites need first. */
async function readyPhp(api: Api, path: string): Promise<string> {
  const known = await phpVersions(api, path)
  const newest = known.at(-1)
  if (newest !== undefined) return newest
  console.log('Preparing this machine for sites')
  const answer = await api.call('POST', `${path}/provision`, {})
  await follow(api, answer.headers)
  await api.follow('POST', `${path}/sync`, () => undefined)
  const installed = (await phpVersions(api, path)).at(-1)
  if (installed === undefined) throw new Error('the server reports no PHP version')
  return installed
}

async function phpVersions(api: Api, path: string): Promise<string[]> {
  const id = path.split('/').at(-1)
  const { server } = Detail.parse((await api.call('GET', `/api/fleet/servers/${id}`)).body)
  return server.php_versions.toSorted((a, b) => Number(a) - Number(b))
}

async function follow(api: Api, headers: Headers): Promise<void> {
  const operation = headers.get('operation-id')
  await api.follow('GET', `/api/operations/${operation}/events`, (line) => console.log(`  ${line}`))
}

function showAddress({ domain, tls }: Site): void {
  const scheme = tls === 'none' ? 'http' : 'https'
  const port = tls === 'none' ? 80 : 443
  const insecure = tls === 'self-signed' ? ' --insecure' : ''
  console.log(`
${scheme}://${domain}/
  from a shell here:   curl${insecure} --resolve ${domain}:${port}:127.0.0.1 ${scheme}://${domain}/
  from a browser here: add the line "127.0.0.1 ${domain}" to /etc/hosts`)
}
