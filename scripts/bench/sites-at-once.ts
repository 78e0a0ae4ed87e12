import { cpus } from 'node:os'
import { fail } from '#scripts/lib/fail.ts'
import * as lab from '#tests/support/lab/index.ts'
import { report } from './lib/figure.ts'
import { timed } from './lib/measure.ts'
import { exec, startAgent, startServer } from './site-speed/agent.ts'

const SITES = 10
const ROUNDS = 3
const PROMISED = 1.7

/**
 * Creates ten WordPress sites on one Debian 12 server, one after the other and all at once, in
 * turns, and deletes them after that: the first jobs of a new WordPress would run beside the next
 * turn. Exits with status 1 if a site is not created or does not answer, or if all at once are less
 * than 1.7 × as fast on two processors. Needs the lab (root, systemd-nspawn), and curl.
 */
async function main(): Promise<void> {
  const host = await startServer('at-once')
  const agent = await startAgent(host)
  try {
    await exec(host, 'server.provision', {})
    await exec(host, 'site.create', siteOf('first'))
    const times = { single: [] as number[], together: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      times.single.push(await created(host, usersOf(`s${round}`), inTurn))
      times.together.push(await created(host, usersOf(`t${round}`), atOnce))
    }
    for (const [name, all] of Object.entries(times))
      console.log(`${name.padEnd(9)} ${all.map((ms) => ms.toFixed(0)).join(', ')} ms`)
    const [ours, against] = [Math.min(...times.together), Math.min(...times.single)]
    const met = report({
      ...{ name: `${SITES} sites at once, ${cpus().length} processors`, unit: 'ms' },
      ...{ ours, against, ratio: against / ours, at_least: PROMISED },
    })
    if (!met) throw new Error('a goal is missed')
  } finally {
    await agent.stop()
  }
}

const usersOf = (prefix: string) => Array.from({ length: SITES }, (_, at) => `${prefix}x${at}`)

type Way = (host: lab.Host, users: readonly string[]) => Promise<void>

/** Returns the milliseconds of the creation. The sites are deleted permanently. */
async function created(host: lab.Host, users: readonly string[], way: Way): Promise<number> {
  const ms = await timed(() => way(host, users))
  await check(host, users)
  for (const user of users) {
    const { domain } = siteOf(user)
    await exec(host, 'site.delete', { domain })
    await exec(host, 'site.purge', { domain, confirm: domain, trashed_days: 0 })
  }
  return ms
}

async function inTurn(host: lab.Host, users: readonly string[]): Promise<void> {
  for (const user of users) await exec(host, 'site.create', siteOf(user))
}

async function atOnce(host: lab.Host, users: readonly string[]): Promise<void> {
  await Promise.all(users.map((user) => exec(host, 'site.create', siteOf(user))))
}

/** Each is a WordPress that answers under its own name. */
async function check(host: lab.Host, users: readonly string[]): Promise<void> {
  for (const user of users) {
    const { domain } = siteOf(user)
    const page = await host.must([
      ...['curl', '-sf', '--resolve', `${domain}:80:127.0.0.1`, `http://${domain}/wp-json/`],
    ])
    if (JSON.parse(page).url !== `http://${domain}`) throw new Error(`${domain}: ${page}`)
  }
}

const siteOf = (user: string) => ({
  ...{ domain: `${user}.test`, php: '8.2', tls: 'none', email: 'owner@agent.test', user },
})

await main()
  .finally(lab.switchDown)
  .then(() => process.exit(0), fail)
