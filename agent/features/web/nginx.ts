import { refusalOf } from '#agent/features/existing/web/nginx-dump.ts'
import type { NginxServers } from '#agent/features/existing/web/nginx-servers.ts'
import { socketOf } from '#agent/features/php/fpm-files.ts'
import {
  applyListener,
  applyListenerQuietly,
  removeListener,
} from '#agent/features/web/page-purge/listener.ts'
import { type Change, deferred } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { removeGenerated, replaceAllGenerated } from '#agent/kernel/effects/generated.ts'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { NGINX } from '#agent/kernel/services/debian-services.ts'
import { isRunning, signal } from '#agent/kernel/services/service.ts'
import { isSelfSigned, namesIn } from '#agent/kernel/site/certificate-files.ts'
import { certificateFolder, pageCacheOf } from '#agent/kernel/site/paths.ts'
import { hasPageCache } from '#agent/kernel/site/settings.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { machineOf, siteLimitsOn } from '#agent/kernel/site/tiers.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { BASE_PATH, baseOf } from './base-file.ts'
import { ownNetworks } from './cdn-networks.ts'
import { specificAddresses } from './listen-places.ts'
import { abilitiesOf } from './nginx-abilities.ts'
import { listServers, listServersIfInstalled, refuseOtherDefaults } from './nginx-servers.ts'
import {
  PASSWORDS_FOLDER,
  passwordFileOf,
  passwordFiles,
  unusedPasswords,
} from './password-protection.ts'
import type { Certificate } from './redirects.ts'
import { renderVhost, type Vhost } from './vhost.ts'
import { isFrozen, peerCertificateOf } from './vhost-files.ts'
import { availablePath, findLink, linkFor, linksOf } from './vhost-link.ts'

export type { Certificate } from './redirects.ts'

type ServedSite = Pick<Site, 'domain' | 'user'>

/**
 * Writes the virtual host of a site and the files that it refers to; tests the whole configuration
 * and reloads nginx. A failed test restores the former files: a broken one would block the reloads
 * of all sites.
 */
export const apply = (host: Host, site: Site, certificate: Certificate | undefined): Change => ({
  effects: () => effectsOf(host, { site, certificate }),
  apply: () => applyExclusively(host, { site, certificate }),
})

/** Applies the virtual host with the present certificate of the site. */
export const serve = (host: Host, site: Site): Change =>
  deferred(async () => apply(host, site, await certificateOf(host, site.domain)))

async function applyExclusively(host: Host, requested: RequestedVhost): Promise<void> {
  const { site } = requested
  const before = await listServers(host)
  const text = await vhostTextOf(host, requested, before)
  await host.exclusive('nginx', async () => {
    if (await isFrozen(host, site.domain)) throw conflict(`${site.domain} is frozen while it moves`)
    const base = { path: BASE_PATH, text: await baseOf(host) }
    const vhost = { path: availablePath(site.domain), text }
    const restore = await replaceAllGenerated(host, [base, ...passwordFiles(site), vhost])
    const known = await findLink(host, site.domain)
    const link = known ?? linkFor(before, site.domain)
    try {
      if (!known) await host.files.link(availablePath(site.domain), link)
      await test(host)
      await refuseOtherDefaults(host, before)
      await reload(host)
      for (const path of unusedPasswords(site)) await removeGenerated(host, path)
    } catch (error) {
      if (!known) await host.files.remove(link)
      await restore()
      throw error
    }
  })
  await applyListenerQuietly(host, site)
}

/** Lists the domains of the virtual hosts that `apply` created. */
export async function servedDomains({ files }: Pick<Host, 'files'>): Promise<string[]> {
  const entries = await files.list('/etc/nginx/sites-enabled')
  return entries.flatMap(({ name }) => /^hosting-(.+)\.conf$/.exec(name)?.[1] ?? [])
}

/** Returns the effects; nginx creates the folder of the page cache. */
async function effectsOf(host: Host, requested: RequestedVhost): Promise<Effect[]> {
  const { site } = requested
  const found = await listServersIfInstalled(host)
  const text = await vhostTextOf(host, requested, found)
  const vhost = { path: availablePath(site.domain), text }
  const passwords = passwordFiles(site)
  // Without this file, the steps that prepare the server for sites list it.
  const known = (await host.files.read(BASE_PATH)) !== undefined
  const base = known ? [{ path: BASE_PATH, text: await baseOf(host) }] : []
  const link = (await findLink(host, site.domain)) ?? linkFor(found, site.domain)
  return [
    ...(await effects.creationsOf(
      host,
      'folder',
      ...(passwords.length > 0 ? [PASSWORDS_FOLDER] : []),
    )),
    ...(await effects.writesOf(host, [...base, ...passwords, vhost])),
    ...(await effects.removalsOf(host, 'file', ...unusedPasswords(site))),
    ...(await effects.creationsOf(host, 'link', link)),
    ...(hasPageCache(site)
      ? await effects.creationsOf(host, 'folder', pageCacheOf(site.user))
      : []),
    effects.run('reload', NGINX.unit),
    ...(await applyListener(host, site).effects()),
  ]
}

type RequestedVhost = Pick<Vhost, 'site' | 'certificate'>

/** Renders the file of a site. */
export async function vhostTextOf(
  host: Host,
  requested: RequestedVhost,
  found: NginxServers,
  render = renderVhost,
): Promise<string> {
  const { user, php, domain, settings } = requested.site
  const cdn = settings?.trusted_cdn
  const pinned = peerCertificateOf(domain)
  return render({
    ...requested,
    socket: socketOf({ user, php }),
    limits: siteLimitsOn(requested.site, await machineOf(host)),
    abilities: await abilitiesOf(host, found),
    networks: cdn ? await ownNetworks(host, cdn) : [],
    pinned: (await host.files.stat(pinned)) && pinned,
  })
}

/**
 * Removes virtual host and page cache of a site, if they exist. The file goes last: while it
 * exists, nginx may still serve the site after an interrupted removal.
 */
export const remove = (host: Host, { domain, user }: ServedSite): Change => ({
  async effects() {
    const served = [
      ...(await effects.removalsOf(host, 'link', ...linksOf(domain))),
      ...(await effects.removalsOf(host, 'file', availablePath(domain), passwordFileOf(user))),
    ]
    return [
      ...served,
      ...(served.length > 0 ? [effects.run('reload', NGINX.unit)] : []),
      ...(await removeListener(host, user).effects()),
      ...(await effects.removalsOf(host, 'folder', pageCacheOf(user))),
    ]
  },
  async apply() {
    await host.exclusive('nginx', async () => {
      const file = availablePath(domain)
      const link = await findLink(host, domain)
      const served = link ?? (await host.files.stat(file))
      if (link !== undefined) await host.files.remove(link)
      if (served) await reloadTested(host)
      await removeGenerated(host, file)
      await removeGenerated(host, passwordFileOf(user))
    })
    await removeListener(host, user).apply()
    await host.files.remove(pageCacheOf(user))
  },
})

/** Returns the certificate of the site on this machine; undefined without one. */
export async function certificateOf(host: Host, domain: string): Promise<Certificate | undefined> {
  const { fullchain, privkey } = certificatePaths(domain)
  if (!(await host.files.stat(privkey))) return undefined
  const pem = await host.files.read(fullchain)
  if (pem === undefined) return undefined
  const names = namesIn(pem)
  return { fullchain, privkey, self_signed: isSelfSigned(pem), ...(names && { names }) }
}

const certificatePaths = (domain: string) => ({
  fullchain: `${certificateFolder(domain)}/fullchain.pem`,
  privkey: `${certificateFolder(domain)}/privkey.pem`,
})

/** With the certificate that the site has, or gets before. */
export const serveCertified = (host: Host, site: Site): Change => ({
  effects: () =>
    effectsOf(host, {
      site,
      certificate: { ...certificatePaths(site.domain), self_signed: false },
    }),
  apply: serve(host, site).apply,
})

/** Returns addresses of this machine, beside 127.0.0.1, at which the site must answer too. */
export async function otherAddresses(host: Host, domain: string): Promise<string[]> {
  return specificAddresses(host, (await host.files.read(availablePath(domain))) ?? '')
}

/** Reloads nginx after a test. A stopped one reads its configuration at its start. */
export async function reloadTested(host: Host): Promise<void> {
  await test(host)
  await reload(host)
}

async function reload(host: Host): Promise<void> {
  if (await isRunning(host, NGINX)) await signal(host, NGINX, 'HUP')
}

/** Throws conflict with nginx's own message, which names file and line. */
export async function test(host: Host): Promise<void> {
  const { code, stderr } = await host.shell.try(['nginx', '-t', '-q'], { unconfined: true })
  if (code === 127)
    throw new CommandFailed(['nginx'], { code, stdout: '', stderr: 'not installed' })
  if (code !== 0) throw refusalOf({ code, stderr })
}
