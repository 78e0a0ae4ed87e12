import { fail } from '#scripts/lib/fail.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Crowded, startCrowded } from '#tests/support/system/trouble.ts'
import { report } from './lib/figure.ts'
import { median } from './lib/measure.ts'
import { DATABASE, FIFO, HUGE, LOCK } from './trouble/programs.ts'

const SITES = 1000
const TROUBLED = 'site7.example'
const NEIGHBOUR = 'site9.example'
const MOST_MS = 2000
const ROUNDS = 5

type Undo = () => Promise<unknown>

interface Cost {
  own: number
  neighbour: number
  all: number
}

/** Each starts one fault of one site, or of the database server, and returns its undo. */
const troubles = (server: Crowded): Record<string, () => Promise<Undo>> => {
  const run = (script: string) => server.host.must(['bash', '-eu', '-c', script])
  const mariadb = 'kill -$0 $(cat /run/mysqld/mysqld.pid)'
  const signal = (name: string) => server.host.must(['bash', '-eu', '-c', mariadb, name])
  return {
    'locked table': async () => {
      const lock = server.host.spawn(['mariadb', 'site7', '-e', LOCK])
      await Bun.sleep(1000)
      return () => lock.stop('SIGKILL')
    },
    'FIFO as a plugin file': async () => {
      await run(FIFO)
      return () => run('rm -r /var/www/site7/wp-content/plugins/pipe')
    },
    'tree of 100,000 files': async () => {
      await run(HUGE)
      return () => run('rm -r /var/www/site7/wp-content/plugins/many')
    },
    'frozen database server': async () => {
      await signal('STOP')
      return () => signal('CONT')
    },
    'stopped database server': async () => {
      await run('systemctl stop mariadb')
      return () => run('systemctl start mariadb')
    },
    'files that hang': () => server.hang('/var/www/site7'),
  }
}

/** The scan of the site comes first and once: the agent's memory makes later scans cheaper. */
async function measured(server: Crowded): Promise<Cost> {
  const own = (await server.scan(TROUBLED)).ms
  const all = (await server.sites()).ms
  // A single scan may coincide with a sync of the machine.
  const neighbours: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { event, ms } = await server.scan(NEIGHBOUR)
    if (event !== 'complete') throw new Error(`the scan of ${NEIGHBOUR} ended with ${event}`)
    neighbours.push(ms)
  }
  return { own, neighbour: median(neighbours), all }
}

const row = (name: string, ...cells: string[]) =>
  console.log(name.padEnd(24) + cells.map((cell) => cell.padStart(10)).join(''))
const show = (name: string, { own, neighbour, all }: Cost) =>
  row(name, ...[own, neighbour, all].map((ms) => `${ms.toFixed(0)} ms`))

/**
 * The cost of one site's fault among 1,000: for its own scan, the scan of another site and the list
 * of all, on a real server. Exits with status 1 if a fault adds more than 2 seconds to its own site
 * or the list, or doubles the scan of another site. Needs root, /dev/fuse and an idle machine.
 */
async function main(): Promise<void> {
  const server = await startCrowded(SITES)
  await server.host.must(['bash', '-eu', '-c', DATABASE])
  await measured(server)
  const calm = await measured(server)
  row('trouble of site7', 'its scan', 'another', '/sites')
  show('none', calm)
  const over: string[] = []
  for (const [name, start] of Object.entries(troubles(server))) {
    const end = await start()
    const cost = await measured(server).finally(end)
    show(name, cost)
    for (const part of ['own', 'neighbour', 'all'] as const) {
      const at_most = part === 'neighbour' ? calm[part] : MOST_MS
      const added = cost[part] - calm[part]
      const met = report({ name: `${name}, ${part}`, unit: 'ms more', ours: added, at_most })
      if (!met) over.push(`${name}: ${part}`)
    }
  }
  if (over.length > 0) throw new Error(`costs more than promised: ${over.join(', ')}`)
}

await main()
  .finally(lab.switchDown)
  .then(() => process.exit(0), fail)
