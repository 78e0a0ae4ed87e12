import { z } from 'zod'
import type { Host } from './host/ports.ts'
import type { Operation } from './operations/operation.ts'
import type { Runner } from './operations/runner.ts'
import { findForeignObjects } from './os/database/audit.ts'
import { listSites } from './os/site/sites.ts'

/**
 * Counts the versions of what the agent makes for a site: its units, files and rights. It goes up with
 * each change of them that existing sites must get as well.
 */
const LAYOUT = 11

type Report = (error: unknown) => void

const RETRY_MS = 3_600_000
const Layout = z.object({ layout: z.number().int() })

const pathIn = ({ settings }: Host) => `${settings.state_dir}/layout.json`

/**
 * Once for each new layout: gives the server what it has to have for sites by this version, and applies
 * to every site on record what this version makes of it, one after the other, each as an operation like
 * any other. What fails stays as it was and is tried again each hour: a server that gets no packages
 * does not keep its sites waiting, which take up what is installed later. Then reports what an attack
 * on the previous version may have left in databases.
 */
export async function keepLayout(host: Host, runner: Runner, report: Report): Promise<void> {
  if ((await readLayout(host)) >= LAYOUT) return
  const done = new Set<string>()
  let ready = false
  for (;;) {
    if (!ready) {
      ready = await provisioned(host, runner, report)
      if (ready) done.clear()
    }
    const complete = await applyToAll(host, runner, done, report)
    if (ready && complete) break
    await host.clock.sleep(RETRY_MS)
  }
  await reportForeignObjects(host, report)
  await host.files.write(pathIn(host), `${JSON.stringify({ layout: LAYOUT })}\n`, { mode: 0o600 })
}

/** A change without a change applies all that there is. To sites that are not done yet; whether all of them are now. */
async function applyToAll(
  host: Host,
  runner: Runner,
  done: Set<string>,
  report: Report,
): Promise<boolean> {
  const sites = (await listSites(host)).filter(({ domain }) => !done.has(domain))
  for (const { domain } of sites) {
    const problem = await problemOf(runner.start('site.update', { domain }))
    if (problem === undefined) done.add(domain)
    else report(new Error(`${domain} could not be brought to this version: ${problem}`))
  }
  return sites.every(({ domain }) => done.has(domain))
}

async function reportForeignObjects(host: Host, report: Report): Promise<void> {
  const sites = await listSites(host)
  if (sites.length === 0) return
  const allowed = new Set(sites.filter((site) => site.database_routines).map(({ user }) => user))
  const { found, incomplete } = await findForeignObjects(host)
  for (const { kind, database, name } of found) {
    if (allowed.has(database)) continue
    report(new Error(`A site has no right to this ${kind}; check it: ${name} in ${database}`))
  }
  for (const reason of incomplete)
    report(new Error(`Databases were not searched completely: ${reason}`))
}

async function readLayout(host: Host): Promise<number> {
  const text = await host.files.read(pathIn(host))
  return text === undefined ? 1 : Layout.parse(JSON.parse(text)).layout
}

/** A server without sites is left alone: it gets what it lacks with its first one. */
async function provisioned(host: Host, runner: Runner, report: Report): Promise<boolean> {
  const sites = await listSites(host)
  if (sites.length === 0) return true
  const php_versions = [...new Set(sites.map(({ php }) => php))].sort()
  const problem = await problemOf(runner.start('server.provision', { php_versions }))
  if (problem !== undefined)
    report(new Error(`The server was not brought to this version: ${problem}`))
  return problem === undefined
}

/** What stood in the way, if anything did. */
async function problemOf(starting: Promise<Operation>): Promise<string | undefined> {
  try {
    const failure = await (await starting).untilEnd()
    return failure && JSON.stringify(failure)
  } catch (error) {
    return String(error)
  }
}
