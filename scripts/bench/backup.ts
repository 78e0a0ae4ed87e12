import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { BackupHost, SITE } from '#tests/support/system/backup-host.ts'
import { ENVIRONMENT } from '#tests/support/system/machine.ts'
import { benchmark, numberOption, report } from './lib/benchmark.ts'
import { contentOf, fillSite } from './lib/fill-site.ts'

/**
 * A backup takes at most so many times as much as tar, mariadb-dump and zstd. A backup leaves the
 * processor to everything else, so its duration depends on what else runs.
 */
const GOALS = {
  first: { processor: 2.5, time: 4, bytes: 1.1 },
  unchanged: { processor: 1, time: 1, bytes: 0.02 },
} as const
/** By the rates of others, a dump of 80 MB/s is loaded with 11: fewer would be a fault of ours. */
const LOAD_SHARE = 0.05
/** A restore also fetches and checks the dump, and keeps the present database. */
const DATABASE_RATIO = 4
const PLAIN = '/mnt/plain'
const PUBLIC = `/srv/www/${SITE.user}/public`
const bash = (text: string) => ['bash', '-ec', `set -o pipefail; ${text}`]

/**
 * Backs up one WordPress of 2 GB (`--megabytes 2000`) first, again without a change, and restores
 * it, beside `tar | zstd` and `mariadb-dump | zstd` on the same server. Fails if a restored site
 * differs. Needs the lab (root).
 */
async function main(): Promise<void> {
  const server = await startServer(numberOption('megabytes', 2000))
  const { host } = server
  const plain = (name: string, script: string) => measured(server, name, bash(script))
  const agent = async (name: string, command: string, params: object) => {
    const env = Object.entries(ENVIRONMENT).map(([name, value]) => `--setenv=${name}=${value}`)
    const program = ['/usr/local/bin/hosting-agent', command, 'none', JSON.stringify(params)]
    const run = await measured(server, name, [...env, ...program])
    const { event, data } = JSON.parse(run.output).outcome
    if (event !== 'complete') throw new Error(`${command}: ${JSON.stringify(data)}`)
    return { ...run, data }
  }
  const size = async (path: string) => Number((await host.must(['du', '-sb', path])).split('\t')[0])

  await host.must(['mkdir', PLAIN])
  await agent('check', 'backup.check', { target: server.target })
  const before = await contentOf(host, SITE.user)
  const files = await plain('tar', `tar -C ${PUBLIC} -c . | zstd -q > ${PLAIN}/files`)
  const dump = await plain(
    'mariadb-dump',
    `mariadb-dump --single-transaction --quick --hex-blob ${SITE.user} | zstd -q > ${PLAIN}/database`,
  )
  const against = { processor: files.processor + dump.processor, time: files.time + dump.time }
  const stored = (await size(`${PLAIN}/files`)) + (await size(`${PLAIN}/database`))
  for (const [name, goal] of Object.entries(GOALS)) {
    const { processor, time, data } = await agent(name, 'backup.create', server.saving)
    report(`processor time, ${name}`, processor, 's', {
      against: against.processor,
      at_most: goal.processor,
    })
    report(`time, ${name}`, time, 's', { against: against.time, at_most: goal.time })
    report(`stored bytes, ${name}`, data.backup.stored / 1e6, 'MB', {
      against: stored / 1e6,
      at_most: goal.bytes,
    })
  }
  const saved = await server.save()
  await host.must(bash(`rm -r ${PUBLIC}/wp-content/uploads`))
  const restore = (name: string, files: boolean) =>
    agent(name, 'backup.restore', server.restoring(saved, { files, database: true }))
  await restore('restore', true)
  if ((await contentOf(host, SITE.user)) !== before) throw new Error('the restored site differs')
  const database = await restore('restore of the database', false)
  const load = await plain(
    'mariadb',
    `mariadb -e 'CREATE DATABASE plain'; zstd -dc ${PLAIN}/database | mariadb plain`,
  )
  const megabytes = Number(await host.must(bash(`zstd -dc ${PLAIN}/database | wc -c`))) / 1e6
  report('loading of a dump, against dumping', megabytes / load.time, 'MB/s', {
    against: megabytes / dump.time,
    at_least: LOAD_SHARE,
  })
  const goal = { against: load.time, at_most: DATABASE_RATIO }
  report('restore of the database', database.time, 's', goal)
}

/** Starts a server with a WordPress of this size, most of whose files do not compress. */
async function startServer(megabytes: number): Promise<BackupHost> {
  const server = await BackupHost.start('bench')
  const { host } = server
  const debs = await morePackages('trixie', ['zstd'])
  await must(['bash', '-c', `cp ${debs}/zstd_*.deb ${host.root}/root/zstd.deb`])
  await host.must(['dpkg', '--install', '/root/zstd.deb'])
  await fillSite(host, SITE, { megabytes, database: 0.25 })
  // Their jobs would write rows meanwhile.
  await host.must(['rm', '-r', `${PUBLIC}/wp-cron.php`])
  countProcessor(host.netns)
  return server
}

/**
 * Runs a program in a unit of its own, and prints and returns its seconds, and those of the
 * processor, with that of the database server.
 */
async function measured({ host }: BackupHost, name: string, argv: readonly string[]) {
  await host.must(['sync'])
  const [used, start] = [processorOf(host.netns), performance.now()]
  const output = await host.must(['systemd-run', '--quiet', '--pipe', '--wait', ...argv])
  const time = (performance.now() - start) / 1000
  const processor = processorOf(host.netns) - used
  console.log(`${name}: ${time.toFixed(1)} s, ${processor.toFixed(1)} s of processor`)
  return { time, processor, output }
}

const groupOf = (name: string) => `/sys/fs/cgroup/cpuacct/${name}`

/** Counts the processor time of a host and of all that it will start, where groups are of version 1. */
function countProcessor(name: string): void {
  if (!existsSync('/sys/fs/cgroup/cpuacct')) return
  mkdirSync(groupOf(name), { recursive: true })
  const members = readFileSync(`/sys/fs/cgroup/cpu/${name}/cgroup.procs`, 'utf8')
  for (const pid of members.trim().split('\n')) {
    writeFileSync(`${groupOf(name)}/cgroup.procs`, pid)
  }
}

/** Returns the processor time in seconds, with that of the database server. */
function processorOf(name: string): number {
  if (existsSync(groupOf(name))) {
    return Number(readFileSync(`${groupOf(name)}/cpuacct.usage`, 'utf8')) / 1e9
  }
  const stat = readFileSync(`/sys/fs/cgroup/${name}/cpu.stat`, 'utf8')
  return Number(/^usage_usec (\d+)/m.exec(stat)?.[1]) / 1e6
}

await benchmark(main, lab.switchDown)
