import { pauseSteps, resumeSteps } from '#agent/features/backups/switch.ts'
import { provideCertificate } from '#agent/features/copies/rename/certificate.ts'
import { alsoServing, newNames, type Renaming } from '#agent/features/copies/rename/target.ts'
import { planProvide } from '#agent/features/domains/plan.ts'
import { describe } from '#agent/features/domains/probe-names.ts'
import { findLink } from '#agent/features/web/link.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { namesTakenOver } from '#agent/features/web/others.ts'
import { forgetFormer, serveInstead } from '#agent/features/web/renamed.ts'
import { availablePath } from '#agent/features/web/vhost-files.ts'
import { deferred, removedTree } from '#agent/kernel/effects/change.ts'
import { create, remove } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { findSite, removeSite, type Site, siteRecord, writeSite } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { contentSteps } from './rename-content.ts'
import { followingSteps, leftOut, type Rename } from './rename-following.ts'

/**
 * The certificate comes first, and the content is ready before the new name is served. One record
 * decides: before it everything is undone, after it the rest follows.
 */
export function stepsOf(job: Rename): Step[] {
  const { host, former, target } = job
  return [
    ...nameSteps(job),
    ...pauseSteps(host, former),
    ...contentSteps(job),
    {
      name: 'vhost',
      title: `Serving ${target.domain} instead of ${former.domain}`,
      effects: [
        create('file', availablePath(target.domain)),
        remove('file', availablePath(former.domain)),
      ],
      apply: () => serveInstead(host, former.domain, target),
      undo: () => serveAgain(host.steady ?? host, { former, target }),
    },
    ...resumeSteps(host, target),
    {
      name: 'record',
      title: `Recording ${target.domain} as the primary domain`,
      effects: async () => [
        ...(await siteRecord(host, target).effects()),
        ...(await removeSite(host, former.domain, 'sites').effects()),
      ],
      async apply() {
        await refuseTaken(host, target)
        await writeSite(host, target)
        await removeSite(host, former.domain, 'sites').apply()
      },
      undo: () => forgetRecord(host.steady ?? host, target),
      decided: async () => (await findSite(host, former.domain)) === undefined,
    },
    ...followingSteps(job),
  ]
}

/** A site may have been made with this name meanwhile. */
async function refuseTaken(host: Host, { domain, user }: Site): Promise<void> {
  const known = await findSite(host, domain)
  if (known && known.user !== user) throw conflict(`${domain} is a site of this server by now`)
}

async function serveAgain(host: Host, { former, target }: Renaming): Promise<void> {
  await serveInstead(host, target.domain, former)
  await forgetFormer(host, target.domain)
}

async function forgetRecord(host: Host, { domain, user }: Site): Promise<void> {
  const known = await findSite(host, domain)
  if (known?.user === user) await removeSite(host, domain, 'sites').apply()
}

/** The site answers at the new name, and has a certificate for it. */
function nameSteps({ host, former, target, gives, warn }: Rename): Step[] {
  const renaming = { former, target }
  const steady = host.steady ?? host
  const certificate = () => nginx.certificateOf(host, former.domain)
  const names: Step = {
    name: 'names',
    title: `Serving ${target.domain} beside ${former.domain}`,
    ...deferred(async () => nginx.apply(host, alsoServing(renaming), await certificate())),
    imposes: () => namesTakenOver(host, newNames(renaming), renaming.former.domain),
    undo: nginx.serve(steady, former).apply,
  }
  const folder = certificateFolder(target.domain)
  const issue: Step = {
    name: 'certificate',
    title: `Providing a certificate for ${target.domain}`,
    effects: () => planProvide(host, target),
    apply: gives(leftOut, async function* () {
      const names = yield* provideCertificate(host, former, target)
      const message = describe(names)
      if (message !== undefined) warn({ code: 'certificate_refused', message })
      return names
    }),
    async undo() {
      // If the undo of the later steps failed: nginx does not start without a file that it reads.
      if ((await findLink(steady, target.domain)) !== undefined)
        throw new Error(`nginx still reads ${target.domain}`)
      await removedTree(steady, 'folder', folder).apply()
    },
  }
  return [
    ...(newNames(renaming).length > 0 ? [names] : []),
    ...(target.tls === 'none' ? [] : [issue]),
  ]
}
