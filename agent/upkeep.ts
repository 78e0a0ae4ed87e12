import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Operation } from '#agent/kernel/operations/operation.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import { listSites } from '#agent/kernel/site/sites.ts'

/** Increased with each change of the units, files and rights of sites that existing sites must get. */
const LAYOUT = 13

type Report = (error: unknown) => void

const Layout = z.object({ layout: z.number().int() })

const pathIn = ({ settings }: Host) => `${settings.state_dir}/layout.json`

/**
 * Makes the work of each round, which ends with the first success for a new layout: it provisions the
 * server again, and updates every site, one after another, as ordinary operations. Sites do not wait for
 * a server that cannot be provisioned, and are updated again after that.
 */
export function keepLayout(host: Host, runner: Runner, report: Report): () => Promise<void> {
  const done = new Set<string>()
  let ready = false
  let over = false
  return async () => {
    over ||= (await readLayout(host)) >= LAYOUT
    if (over) return
    if (!ready) {
      ready = await provisioned(host, runner, report)
      if (ready) done.clear()
    }
    const complete = await applyToAll(host, runner, done, report)
    if (!ready || !complete) return
    await host.files.write(pathIn(host), `${JSON.stringify({ layout: LAYOUT })}\n`, { mode: 0o600 })
  }
}

/** An update without a change applies the whole layout. False: some sites are not updated yet. */
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
    else
      report(new Error(`${domain} could not be updated to this version of the agent: ${problem}`))
  }
  return sites.every(({ domain }) => done.has(domain))
}

async function readLayout(host: Host): Promise<number> {
  const text = await host.files.read(pathIn(host))
  return text === undefined ? 1 : Layout.parse(JSON.parse(text)).layout
}

/** A server without sites is provisioned with its first one. */
async function provisioned(host: Host, runner: Runner, report: Report): Promise<boolean> {
  const sites = await listSites(host)
  if (sites.length === 0) return true
  const php_versions = [...new Set(sites.map(({ php }) => php))].sort()
  const problem = await problemOf(runner.start('server.provision', { php_versions }))
  if (problem !== undefined)
    report(new Error(`The server could not be updated to this version of the agent: ${problem}`))
  return problem === undefined
}

/** The reason of the failure, if any. */
async function problemOf(starting: Promise<Operation>): Promise<string | undefined> {
  try {
    const failure = await (await starting).untilEnd()
    return failure && JSON.stringify(failure)
  } catch (error) {
    return String(error)
  }
}
