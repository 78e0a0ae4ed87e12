import { posix } from 'node:path'
import type { NginxServers } from '#agent/features/existing/web/nginx-servers.ts'
import { removeGenerated, replaceAll } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { availablePath, findLink, linkFor, PREFIXES } from './link.ts'
import { certificateOf, reloadTested, test, textOf } from './nginx.ts'
import { refuseOtherDefaults, servers } from './others.ts'

/**
 * Serves a site under its domain instead of a former one, with one reload. Renames alone change what
 * nginx reads, so that it reads the file of exactly one of the two whenever it starts. A failure
 * restores the former state. The file of the former domain stays.
 */
export async function serveInstead(host: Host, former: string, site: Site): Promise<void> {
  const before = await servers(host)
  const certificate = await certificateOf(host, site.domain)
  const text = await textOf(host, { site, certificate }, before)
  await host.exclusive('nginx', async () => {
    const restore = await replaceAll(host, [{ path: availablePath(site.domain), text }])
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
export async function forgetFormer(host: Host, former: string): Promise<void> {
  if ((await findLink(host, former)) !== undefined) throw new Error(`nginx still reads ${former}`)
  await host.files.remove(spareOf(former))
  await removeGenerated(host, availablePath(former))
}

const spareOf = (domain: string) => `${availablePath(domain)}.link`

/** A link cannot be changed: another one takes its place. */
async function relink(
  host: Host,
  before: NginxServers,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const known = (await findLink(host, from)) ?? (await findLink(host, to))
  const link = known === undefined ? linkFor(before, to) : renamed(known, { from, to })
  if (known !== undefined && known !== link) await host.files.rename(known, link)
  await host.files.link(availablePath(to), spareOf(to))
  await host.files.rename(spareOf(to), link)
}

/** In the same folder, and before or after the other servers as it was. */
function renamed(link: string, { from, to }: { from: string; to: string }): string {
  const { dir, name } = posix.parse(link)
  const prefix = PREFIXES.find((one) => name === `${one}${from}`)
  return prefix === undefined ? link : `${dir}/${prefix}${to}.conf`
}
