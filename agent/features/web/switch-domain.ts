import { posix } from 'node:path'
import type { NginxServers } from '#agent/features/existing/web/nginx-servers.ts'
import { removeGenerated, replaceAllGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { certificateOf, reloadTested, test, vhostTextOf } from './nginx.ts'
import { listServers, refuseOtherDefaults } from './nginx-servers.ts'
import { availablePath, findLink, linkFor, PREFIXES } from './vhost-link.ts'

/**
 * Serves a site under its domain instead of a former one, with one reload. Only renames change what
 * nginx reads, so that it reads the file of exactly one of the two whenever it starts. A failure
 * restores the former state. The file of the former domain stays.
 */
export async function switchDomain(host: Host, former: string, site: Site): Promise<void> {
  const before = await listServers(host)
  const certificate = await certificateOf(host, site.domain)
  const text = await vhostTextOf(host, { site, certificate }, before)
  await host.exclusive('nginx', async () => {
    const restore = await replaceAllGenerated(host, [{ path: availablePath(site.domain), text }])
    const wasFormer = (await findLink(host, former)) !== undefined
    try {
      await relink(host, before, { from: former, to: site.domain })
      await test(host)
      await refuseOtherDefaults(host, before)
      await reloadTested(host)
    } catch (error) {
      if (wasFormer) await relink(host, before, { from: site.domain, to: former })
      await restore()
      throw error
    }
  })
}

/** Removes the file of a domain that nginx does not read any more. */
export async function removeFormerVhost(host: Host, former: string): Promise<void> {
  if ((await findLink(host, former)) !== undefined) throw new Error(`nginx still reads ${former}`)
  await host.files.remove(spareLinkOf(former))
  await removeGenerated(host, availablePath(former))
}

const spareLinkOf = (domain: string) => `${availablePath(domain)}.link`

/** Replaces the link by another one, since a link cannot be changed. */
async function relink(
  host: Host,
  before: NginxServers,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const known = (await findLink(host, from)) ?? (await findLink(host, to))
  const link = known === undefined ? linkFor(before, to) : renamedLink(known, { from, to })
  if (known !== undefined && known !== link) await host.files.rename(known, link)
  await host.files.link(availablePath(to), spareLinkOf(to))
  await host.files.rename(spareLinkOf(to), link)
}

/** Returns the link in the same folder, before or after the other servers as it was. */
function renamedLink(link: string, { from, to }: { from: string; to: string }): string {
  const { dir, name } = posix.parse(link)
  const prefix = PREFIXES.find((one) => name === `${one}${from}`)
  return prefix === undefined ? link : `${dir}/${prefix}${to}.conf`
}
