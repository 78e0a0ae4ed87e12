import { deferred } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import { command, ready, type Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import { MAX_OBJECT_MEMORY } from '#shared/object-cache/object-cache.ts'
import * as dropIn from './drop-in.ts'
import { applyInstance } from './instance.ts'
import { objectCacheSteps } from './programs.ts'

type ObjectCacheParams = ParamsOf<'site.object-cache'>

/** The record decides: until it is written every undo restores the former state. */
export const siteObjectCache = command('site.object-cache', {
  ...onSite,
  async check(params, host) {
    const site = await getSite(host, params.domain)
    await refuseUnavailable(params, host, site)
    return { site }
  },
  steps: ({ params, host, site }) => [
    ready(() => objectCacheSteps(host, siteWithCache(site, params))),
    ...stepsOf(params, host),
  ],
  result: ({ params: { domain, memory } }) => ({ domain, memory }),
})

const isCacheInPlace = ({ object_cache }: Site, { memory }: ObjectCacheParams) =>
  (object_cache?.memory ?? null) === memory

function siteWithCache({ object_cache: _, ...site }: Site, { memory }: ObjectCacheParams): Site {
  return memory === null ? site : { ...site, object_cache: { memory } }
}

async function refuseUnavailable(
  { domain, memory }: ObjectCacheParams,
  host: Host,
  site: Site,
): Promise<void> {
  if (memory === null) return
  if (site.suspended) throw conflict(`${domain} is suspended: resume it first`)
  const most = MAX_OBJECT_MEMORY[site.tier]
  if (memory > most) {
    throw invalid({ memory: [`Must be at most ${most} on the tier ${site.tier}`] })
  }
  await dropIn.refuseOtherDropIn(host, site)
}

/** Installs the drop-in last and removes it first: WordPress never uses a stopped cache. */
function stepsOf(params: ObjectCacheParams, host: Host): Step[] {
  const { domain, memory } = params
  const steady = host.steady ?? host
  const recorded = () => getSite(host, domain)
  const target = async () => siteWithCache(await recorded(), params)
  const follow = (on: Host, site: Site) =>
    site.object_cache ? dropIn.installDropIn(on, site) : dropIn.removeDropIn(on, site)
  const instance: Step = {
    name: 'object cache',
    title: memory === null ? 'Stopping the object cache' : 'Starting the object cache',
    ...deferred(async () => applyInstance(host, await target())),
    undo: async () => applyInstance(steady, await recorded()).apply(),
  }
  const file: Step = {
    name: 'drop-in',
    title: memory === null ? 'Removing the drop-in' : 'Installing the drop-in',
    ...deferred(async () => follow(host, await target())),
    undo: async () => follow(steady, await recorded()).apply(),
  }
  return [
    ...(memory === null ? [file, instance] : [instance, file]),
    {
      name: 'record',
      title: 'Recording the site',
      ...deferred(async () => siteRecord(host, await target())),
      decided: async () => isCacheInPlace(await recorded(), params),
    },
  ]
}
