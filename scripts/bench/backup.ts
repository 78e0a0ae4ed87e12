import { parseArgs } from 'node:util'
import { fail } from '#scripts/lib/fail.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type BackupHost, SITE } from '#tests/support/system/backup-host.ts'
import { ENVIRONMENT } from '#tests/support/system/machine.ts'
import { contentOf, type Measured, measured, PUBLIC, startWorld } from './backup/world.ts'
import { report } from './lib/figure.ts'

/**
 * At most so many times as much as tar, mariadb-dump and zstd. A backup leaves the processor to
 * everything else, so its duration depends on what else runs.
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

await main().then(() => process.exit(0), fail)
