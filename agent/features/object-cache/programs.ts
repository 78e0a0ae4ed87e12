import { generated } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { packagesInstalled, shippedPhp } from '#agent/kernel/packages/packages.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { CACHE_PHP_TEXT } from './cache-php.ts'
import { FUNCTIONS_PHP_TEXT } from './functions-php.ts'
import { CACHE_PHP, FUNCTIONS_PHP, SERVER_PHP, STORE_PHP } from './paths.ts'
import { SERVER_PHP_TEXT } from './server-php.ts'
import { STORE_PHP_TEXT } from './store-php.ts'

/** A program of the object cache: Valkey, or Redis where Debian does not have it. */
export interface CacheProgram {
  path: string
  /** The name by which the program decides what it does. */
  name: string
  client: string
  package: string
}

/**
 * Debian's package of the tools has the whole program under the name of a checker. Unlike the
 * server package it starts no service, which would listen on a port of the machine.
 */
const VALKEY: CacheProgram = {
  path: '/usr/bin/valkey-check-rdb',
  name: 'valkey-server',
  client: '/usr/bin/valkey-cli',
  package: 'valkey-tools',
}
const REDIS: CacheProgram = {
  path: '/usr/bin/redis-check-rdb',
  name: 'redis-server',
  client: '/usr/bin/redis-cli',
  package: 'redis-tools',
}

/** Returns the program for this server: Redis on Debian 12 (PHP 8.2), else Valkey. */
const programFor = async (host: Host): Promise<CacheProgram> =>
  (await shippedPhp(host)) === '8.2' ? REDIS : VALKEY

/** Returns the program of the object cache that is installed; undefined if none is. */
export async function installedProgram(host: Host): Promise<CacheProgram | undefined> {
  for (const program of [VALKEY, REDIS]) {
    if (await host.files.stat(program.path)) return program
  }
  return undefined
}

/** Returns the steps that install what a site with an object cache needs; none if installed. */
export async function objectCacheSteps(
  host: Host,
  { object_cache }: Pick<Site, 'object_cache'>,
): Promise<Step[]> {
  if (!object_cache || !isMet(NEEDS.object_cache, host)) return []
  return [...(await packageSteps(host)), ...(await librarySteps(host))]
}

/** Installs it for a site from another server without failing: WordPress works without it. */
export async function provideObjectCache(host: Host, site: Pick<Site, 'object_cache'>) {
  try {
    for (const step of await objectCacheSteps(host, site)) {
      const work = step.apply()
      if (Symbol.asyncIterator in work) for await (const _ of work);
      else await work
    }
  } catch {
    return
  }
}

async function packageSteps(host: Host): Promise<Step[]> {
  if (await installedProgram(host)) return []
  const { package: name } = await programFor(host)
  return [
    {
      name: 'object cache package',
      title: `Installing ${name}`,
      ...packagesInstalled(host, [name], 'memory'),
    },
  ]
}

async function librarySteps(host: Host): Promise<Step[]> {
  const library = generated(host, [
    { path: STORE_PHP, text: STORE_PHP_TEXT },
    { path: CACHE_PHP, text: CACHE_PHP_TEXT },
    { path: FUNCTIONS_PHP, text: FUNCTIONS_PHP_TEXT },
    // Last, because it uses the others.
    { path: SERVER_PHP, text: SERVER_PHP_TEXT },
  ])
  if ((await library.effects()).length === 0) return []
  return [
    {
      name: 'object cache library',
      title: 'Installing the program for object caches',
      ...library,
    },
  ]
}
