import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { fail } from '#scripts/lib/fail.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { BackupHost, SITE } from '#tests/support/system/backup-host.ts'
import { ENVIRONMENT } from '#tests/support/system/machine.ts'
import { report } from './lib/figure.ts'
import { fillSite } from './lib/fill-site.ts'

/**
 * A backup takes at most so many times as much as tar, mariadb-dump and zstd. A backup leaves the
 * processor to everything else, so its duration depends on what else runs.
 */
const PROMISED = {
  first: { processor: 2.5, time: 4, bytes: 1.1 },
  unchanged: { processor: 1, time: 1, bytes: 0.02 },
}
/** By the rates of others, a dump of 80 MB/s is loaded with 11: fewer would be a fault of ours. */
const LOAD_SHARE = 0.05
/** A restore also fetches and checks the dump, and keeps the present database. */
const DATABASE_RATIO = 4
const PLAIN = '/mnt/plain'
const bash = (text: string) => ['bash', '-ec', `set -o pipefail; ${text}`]

/**
 * Backs up one WordPress of 2 GB (`--megabytes 2000`) first, again without a change, and restores
 * it, beside `tar | zstd` and `mariadb-dump | zstd` on the same server. Exits with status 1 if a
 * restored site differs, or if a backup takes more processor, time or bytes than promised. Needs the lab (root).
 */
async function bench(server: BackupHost): Promise<string[]> {
  const { host } = server
  const agent = async (command: string, params: object) => {
    const env = Object.entries(ENVIRONMENT).map(([name, value]) => `--setenv=${name}=${value}`)
    const program = ['/usr/local/bin/hosting-agent', command, 'none', JSON.stringify(params)]
    const run = await measured(server, [...env, ...program])
    const { event, data } = JSON.parse(run.output).outcome
    if (event !== 'complete') throw new Error(`${command}: ${JSON.stringify(data)}`)
    return { ...run, data }
  }
  const size = async (path: string) => Number((await host.must(['du', '-sb', path])).split('\t')[0])
  const rate = (bytes: number, { seconds }: Measured) =>
    `${(bytes / 1e6 / seconds).toFixed(0)} MB/s`

  await host.must(['mkdir', PLAIN])
  await agent('backup.check', { target: server.target })
  const before = await contentOf(server)
  const files = await measured(server, bash(`tar -C ${PUBLIC} -c . | zstd -q > ${PLAIN}/files`))
  const dumping = bash(`mariadb-dump --single-transaction --quick --hex-blob ${SITE.user}`)
  const dump = await measured(server, bash(`${dumping[2]} | zstd -q > ${PLAIN}/database`))
  const plain = { seconds: files.seconds + dump.seconds, cpu: files.cpu + dump.cpu }
  const first = await agent('backup.create', server.saving)
  const unchanged = await agent('backup.create', server.saving)
  const raw = {
    files: await size(PUBLIC),
    dump: Number(await host.must(bash(`zstd -dc ${PLAIN}/database | wc -c`))),
  }
  const saved = await server.save()
  await host.must(bash(`rm -r ${PUBLIC}/wp-content/uploads`))
  const restore = await agent(
    'backup.restore',
    server.restoring(saved, { files: true, database: true }),
  )
  if ((await contentOf(server)) !== before) throw new Error('the restored site differs')
  const database = await agent(
    'backup.restore',
    server.restoring(saved, { files: false, database: true }),
  )
  const untar = await measured(
    server,
    bash(`mkdir ${PLAIN}/out; zstd -dc ${PLAIN}/files | tar -C ${PLAIN}/out -x`),
  )
  const load = await measured(
    server,
    bash(`mariadb -e 'CREATE DATABASE plain'; zstd -dc ${PLAIN}/database | mariadb plain`),
  )

  const show = (name: string, run: Measured, more = '') =>
    console.log(
      `${name.padEnd(12)} ${run.seconds.toFixed(1)} s, ${run.cpu.toFixed(1)} s of processor${more}`,
    )
  console.log(
    `site         ${(raw.files / 1e6).toFixed(0)} MB of files, ${(raw.dump / 1e6).toFixed(0)} MB of dump`,
  )
  const stored = (await size(`${PLAIN}/files`)) + (await size(`${PLAIN}/database`))
  show(
    'plain',
    plain,
    `, ${(stored / 1e6).toFixed(0)} MB stored; files ${rate(raw.files, files)}, dump ${rate(raw.dump, dump)}`,
  )
  const ours = { first, unchanged }
  const missed: string[] = []
  for (const name of ['first', 'unchanged'] as const) {
    const { seconds, cpu, data } = ours[name]
    show(name, ours[name], `, ${(data.backup.stored / 1e6).toFixed(1)} MB stored`)
    const promised = PROMISED[name]
    const met = [
      report({
        ...{ name: `processor time, ${name}`, unit: 's', ours: cpu, against: plain.cpu },
        at_most: promised.processor,
      }),
      report({
        ...{ name: `time, ${name}`, unit: 's', ours: seconds, against: plain.seconds },
        at_most: promised.time,
      }),
      report({
        ...{ name: `stored bytes, ${name}`, unit: 'MB', ours: data.backup.stored / 1e6 },
        ...{ against: stored / 1e6, at_most: promised.bytes },
      }),
    ]
    if (met.includes(false)) missed.push(name)
  }
  show(
    'restore',
    restore,
    `, with undo, checks and the present database saved; the site is the same`,
  )
  show('database', database, `; the same of the database alone: ${rate(raw.dump, database)}`)
  show(
    'plain back',
    { seconds: untar.seconds + load.seconds, cpu: untar.cpu + load.cpu },
    `; files ${rate(raw.files, untar)}, load ${rate(raw.dump, load)}`,
  )
  const megabytes = ({ seconds }: Measured) => raw.dump / 1e6 / seconds
  const figures = [
    report({
      ...{ name: 'loading of a dump, against dumping', unit: 'MB/s', ours: megabytes(load) },
      ...{ against: megabytes(dump), at_least: LOAD_SHARE },
    }),
    report({
      ...{ name: 'restore of the database', unit: 's', ours: database.seconds },
      ...{ against: load.seconds, at_most: DATABASE_RATIO },
    }),
  ]
  if (figures.includes(false)) missed.push('database')
  return missed
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '2000' } } })
  try {
    const missed = await bench(await startWorld(Number(values.megabytes)))
    if (missed.length > 0) throw new Error(`more than promised: ${missed.join(', ')}`)
  } finally {
    await lab.switchDown()
  }
}

const PUBLIC = `/srv/www/${SITE.user}/public`

interface Measured {
  seconds: number
  /** The seconds of the processor, with that of the database server. */
  cpu: number
}

/** Starts a server with a WordPress of this size, most of whose files do not compress. */
async function startWorld(megabytes: number): Promise<BackupHost> {
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

/** Runs a program in a unit of its own. */
async function measured(
  { host }: BackupHost,
  argv: readonly string[],
): Promise<Measured & { output: string }> {
  await host.must(['sync'])
  const [used, start] = [processorOf(host.netns), performance.now()]
  const output = await host.must(['systemd-run', '--quiet', '--pipe', '--wait', ...argv])
  const seconds = (performance.now() - start) / 1000
  return { seconds, cpu: processorOf(host.netns) - used, output }
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

/** Returns the content of all files and rows. */
async function contentOf({ host }: BackupHost): Promise<string> {
  const sums = 'find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum'
  const tables = await host.must(['mariadb', SITE.user, '-Ne', 'SHOW TABLES'])
  const rows = tables
    .trim()
    .split('\n')
    .filter((name) => !name.endsWith('_options'))
  const checksums = `CHECKSUM TABLE ${rows.map((name) => `\`${name}\``).join(', ')} EXTENDED`
  return (
    (await host.must(['bash', '-c', `cd ${PUBLIC} && ${sums}`])) +
    (await host.must(['mariadb', SITE.user, '-Ne', checksums]))
  )
}

await main().then(() => process.exit(0), fail)
