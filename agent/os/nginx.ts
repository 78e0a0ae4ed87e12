import { conflict, invalid } from '#shared/errors.ts'
import type { Effect } from '#shared/plan.ts'
import { CommandFailed } from '../host/errors.ts'
import type { Host } from '../host/ports.ts'
import * as effects from './effects.ts'
import { removeGenerated, replace } from './generated.ts'
import type { Abilities } from './nginx-base.ts'
import { type Certificate, renderVhost } from './nginx-vhost.ts'
import { certificateFolder, pageCacheOf } from './paths.ts'
import { socketOf } from './php-fpm-files.ts'
import { NGINX } from './services/known.ts'
import { isRunning, signal } from './services/service.ts'
import { namesOf, type Site } from './sites.ts'
import { limitsOn, machineOf } from './tiers.ts'

export type { Certificate } from './nginx-vhost.ts'

const availablePath = (domain: string) => `/etc/nginx/sites-available/hosting-${domain}.conf`
const enabledPath = (domain: string) => `/etc/nginx/sites-enabled/hosting-${domain}.conf`

/**
 * Writes the virtual host of a site, tests the whole configuration and reloads nginx. The former
 * file comes back when the test fails: a broken one would block the reloads of all sites.
 */
export async function apply(
  host: Host,
  site: Site,
  certificate: Certificate | undefined,
): Promise<void> {
  const text = await textOf(host, site, certificate)
  const link = enabledPath(site.domain)
  await host.exclusive('nginx', async () => {
    const restore = await replace(host, availablePath(site.domain), text)
    const linked = (await host.files.stat(link)) !== undefined
    try {
      if (!linked) await host.files.link(availablePath(site.domain), link)
      await reloadTested(host)
    } catch (error) {
      if (!linked) await host.files.remove(link)
      await restore()
      throw error
    }
  })
}

/** What `apply` would do. nginx makes the folder of the page cache. */
export async function applying(
  host: Host,
  site: Site,
  certificate: Certificate | undefined,
): Promise<Effect[]> {
  const path = availablePath(site.domain)
  const text = await textOf(host, site, certificate)
  return [
    ...(await effects.generating(host, [{ path, text }])),
    ...(await effects.making(host, 'link', enabledPath(site.domain))),
    ...(await effects.making(host, 'folder', pageCacheOf(site.user))),
    effects.run('reload', NGINX.unit),
  ]
}

async function textOf(host: Host, site: Site, certificate: Certificate | undefined) {
  return renderVhost({
    site,
    certificate,
    socket: socketOf({ user: site.user, php: site.php }),
    limits: limitsOn(site.tier, await machineOf(host)),
    abilities: await abilitiesOf(host),
  })
}

/**
 * Removes virtual host and page cache of a site; what is not there is fine. The file goes last: while
 * it is there, nginx may still serve the site, which a removal that was cut off has not told it.
 */
export async function remove(host: Host, site: Pick<Site, 'domain' | 'user'>): Promise<void> {
  await host.exclusive('nginx', async () => {
    const [link, file] = [enabledPath(site.domain), availablePath(site.domain)]
    const served = (await host.files.stat(link)) ?? (await host.files.stat(file))
    await host.files.remove(link)
    if (served) await reloadTested(host)
    await removeGenerated(host, file)
  })
  await host.files.remove(pageCacheOf(site.user))
}

/** What `remove` would do. */
export async function removing(host: Host, site: Pick<Site, 'domain' | 'user'>): Promise<Effect[]> {
  const served = [
    ...(await effects.removing(host, 'link', enabledPath(site.domain))),
    ...(await effects.removing(host, 'file', availablePath(site.domain))),
  ]
  return [
    ...served,
    ...(served.length > 0 ? [effects.run('reload', NGINX.unit)] : []),
    ...(await effects.removing(host, 'folder', pageCacheOf(site.user))),
  ]
}

/** The certificate that the site has on this machine, undefined when there is none. */
export async function certificateOf(host: Host, domain: string): Promise<Certificate | undefined> {
  const certificate = certificateIn(certificateFolder(domain))
  const { fullchain, privkey } = certificate
  const found = (await host.files.stat(fullchain)) && (await host.files.stat(privkey))
  return found ? certificate : undefined
}

const certificateIn = (folder: string): Certificate => ({
  fullchain: `${folder}/fullchain.pem`,
  privkey: `${folder}/privkey.pem`,
})

/** What serving the site with a certificate, had already or about to be, would do. */
export function serving(host: Host, site: Site): Promise<Effect[]> {
  return applying(host, site, certificateIn(certificateFolder(site.domain)))
}

/** Throws invalid on `domain` when another virtual host answers to one of the site's names. */
export async function refuseServedNames(host: Host, domain: string): Promise<void> {
  const served = servedNames(await dump(host))
  for (const name of namesOf(domain)) {
    const path = served.get(name)
    if (path) throw invalid({ domain: [`${name} is already served by ${path} on this server`] })
  }
}

/** Empties the page cache. nginx takes a file that is gone for a miss. */
export async function purge(host: Host, user: string): Promise<void> {
  if (!(await host.files.stat(pageCacheOf(user)))) return
  const argv = ['find', pageCacheOf(user), '-type', 'f', '-delete']
  await host.shell.run(argv, { user: 'www-data' })
}

/** What `purge` would do. */
export async function purging(host: Host, user: string): Promise<Effect[]> {
  return effects.removing(host, 'pages', pageCacheOf(user))
}

/** The whole configuration as nginx reads it. */
export async function dump(host: Host): Promise<string> {
  return (await host.shell.run(['nginx', '-T', '-q'], { unconfined: true })).stdout
}

/** One that does not run, as while the machine starts, reads its configuration when it does. */
export async function reloadTested(host: Host): Promise<void> {
  await test(host)
  if (await isRunning(host, NGINX)) await signal(host, NGINX, 'HUP')
}

/** Throws conflict with nginx's own words, which name file and line. */
export async function test(host: Host): Promise<void> {
  const { code, stderr } = await host.shell.try(['nginx', '-t', '-q'], { unconfined: true })
  if (code === 127)
    throw new CommandFailed(['nginx'], { code, stdout: '', stderr: 'not installed' })
  if (code !== 0) throw conflict(`nginx refuses its configuration: ${stderr.trim()}`)
}

export async function abilitiesOf(host: Host): Promise<Abilities> {
  const { stderr } = await host.shell.try(['nginx', '-v'])
  const [major = 0, minor = 0, patch = 0] = (/nginx\/([\d.]+)/.exec(stderr)?.[1] ?? '')
    .split('.')
    .map(Number)
  const ipv6 = ((await host.files.read('/proc/1/net/if_inet6')) ?? '') !== ''
  return { ipv6, http2_directive: major * 1e6 + minor * 1e3 + patch >= 1_025_001 }
}

/** Name → file that has it in a `server_name`. */
function servedNames(text: string): Map<string, string> {
  const served = new Map<string, string>()
  const [, ...files] = text.split(/^# configuration file (.+):$/m)
  for (let at = 0; at + 1 < files.length; at += 2) {
    const [path = '', content = ''] = files.slice(at, at + 2)
    for (const [, names = ''] of content.matchAll(/^[^#\n]*\bserver_name\s+([^;]+);/gm)) {
      for (const name of names.split(/\s+/)) served.set(name.toLowerCase(), path)
    }
  }
  return served
}
