import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import { carryOut, type Transcript } from '#scripts/demo/machine/carry-out.ts'
import { hostOn, Turns } from '#scripts/demo/machine/host.ts'
import { layOutServer } from '#scripts/demo/machine/lay-out.ts'
import { Machine } from '#scripts/demo/machine/machine.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'

/** Placeholders for the domain and the user of a site in the output of commands. */
export const DOMAIN = 'placeholder.example'
export const USER = 'placeholderuser'
/** Fails, and gets no certificate: each has a separate user. */
const BROKEN = { domain: 'broken-placeholder.example', user: 'brokenuser' }
const NO_DNS = { domain: 'nodns-placeholder.example', user: 'nodnsuser' }

export type Kind = keyof Awaited<ReturnType<typeof makeTranscripts>>

/** Returns the agent's output for each of these: it runs them on a server outside of the fleet. */
export async function makeTranscripts({ members: [first] }: Fleet) {
  if (!first) throw new Error('The fleet has no server')
  const plan = { ...first.plan, sites: [] }
  const machine = new Machine({ seed: 'transcripts' }, plan, first.machine.time)
  layOutServer(machine)
  const host = hostOn(machine, { turns: new Turns(), pace: 0 })
  const run = <N extends CommandName>(name: N, params: ParamsOf<N>): Promise<Transcript> =>
    carryOut(host, name, params)
  const [php = '8.2', other = '8.3'] = plan.php
  const site = { php, tier: 'small', tls: 'letsencrypt', email: `webmaster@${DOMAIN}` } as const
  await run('server.provision', { php_versions: [] })
  const transcripts = {
    created: await run('site.create', { ...site, domain: DOMAIN, user: USER }),
    scanned: await run('wp.scan', { domain: DOMAIN }),
    purged: await run('cache.purge', { domain: DOMAIN }),
    restarted: await run('service.restart', { service: 'nginx' }),
    certified: await run('tls.issue', { ...site, domain: DOMAIN }),
    resized: await run('pool.apply', { user: USER, php_version: php, tier: 'large' }),
    updated: await run('site.update', { domain: DOMAIN, php: other }),
    uncreated: renamed(await run('site.create', { ...site, ...BROKEN }), BROKEN),
  }
  await run('site.create', { ...site, ...NO_DNS })
  const uncertified = await run('tls.issue', { ...site, domain: NO_DNS.domain })
  const database = machine.databases.get(USER)
  if (database) database.broken = true
  const undeleted = await run('site.delete', { domain: DOMAIN })
  return { ...transcripts, uncertified: renamed(uncertified, NO_DNS), undeleted }
}

/** Returns the same with the placeholder in its place. */
function renamed(transcript: Transcript, { domain, user }: typeof BROKEN): Transcript {
  return rewritten(transcript, (text) => text.replaceAll(domain, DOMAIN).replaceAll(user, USER))
}

/** Returns the transcript with replaced texts, in its lines, its steps and its end. */
export function rewritten(transcript: Transcript, change: (text: string) => string): Transcript {
  return JSON.parse(change(JSON.stringify(transcript)))
}
