import { parseArgs } from 'node:util'
import { fail } from '#scripts/lib/fail.ts'
import * as lab from '#tests/support/lab/index.ts'
import { ProofWorld, PUBLIC, SITE } from '#tests/support/system/proof.ts'
import { report } from './lib/figure.ts'

const SITES = 50
const SITE_GB = 2
/** The usual window is from 01:00 to 05:00. */
const WINDOW_SECONDS = 4 * 3600
const FILE_BYTES = 2e6
const ROW_BYTES = 960
/** The share of the database in the bytes of the site. */
const DATABASE = 0.3

interface Measured {
  bytes: number
  seconds: number
  disk: number
}

/**
 * Proves the backups of a small site and of a large one (`--megabytes 1000`, the default) in a folder
 * of the server, and calculates the time for 50 sites of 2 GB, one after the other. Exits with status 1
 * if they do not fit into a window of four hours, or a proof takes more than 4 times as long as restic
 * and mariadb alone. Needs the lab (root, systemd-nspawn).
 */
async function bench(world: ProofWorld, megabytes: number): Promise<boolean> {
  const small = await measure(world)
  await fill(world, megabytes * 1e6)
  const large = await measure(world)
  const plain = await plainly(world)
  const rate = (large.seconds - small.seconds) / (large.bytes - small.bytes)
  const each = small.seconds + rate * (SITE_GB * 1e9 - small.bytes)
  const night = SITES * each
  const line = ({ bytes, seconds, disk }: Measured) =>
    `${(bytes / 1e9).toFixed(2)} GB in ${seconds.toFixed(1)} s, ${(disk / 1e9).toFixed(2)} GB of disk meanwhile`
  console.log(`small    ${line(small)}`)
  console.log(`large    ${line(large)}`)
  console.log(`plain    ${plain.toFixed(1)} s for restic restore and mariadb with the same data`)
  console.log(`ratio    ${(large.seconds / plain).toFixed(1)} (promised: ${RATIO})`)
  console.log(
    `night    ${SITES} sites of ${SITE_GB} GB: ${SITES} x ${each.toFixed(0)} s = ${(night / 3600).toFixed(1)} h of ${WINDOW_SECONDS / 3600} h: ${night <= WINDOW_SECONDS ? 'yes' : 'no'}`,
  )
  const isWithin = report({
    ...{ name: `proofs of ${SITES} sites, calculated`, unit: 's', ours: night },
    at_most: WINDOW_SECONDS,
  })
  const isFast = report({
    ...{ name: 'proof', unit: 's', ours: large.seconds, against: plain },
    at_most: RATIO,
  })
  return isWithin && isFast
}

const RATIO = 4

async function fill(world: ProofWorld, bytes: number): Promise<void> {
  const files = Math.ceil((bytes * (1 - DATABASE)) / FILE_BYTES)
  const script = `cd ${PUBLIC}/wp-content; mkdir -p uploads/bulk; cd uploads/bulk
    for n in $(seq ${files}); do head -c ${FILE_BYTES} /dev/urandom > $n.jpg; done
    chown -R ${SITE.user}: ..`
  await world.host.must(['bash', '-ec', script], { timeout_ms: 1_800_000 })
  const text = `CONCAT(${Array.from({ length: ROW_BYTES / 32 }, () => 'MD5(RAND())').join()})`
  const rows = Math.ceil((bytes * DATABASE) / ROW_BYTES)
  await world.sql(`CREATE TABLE a_bulk (id INT PRIMARY KEY, t TEXT);
    INSERT INTO a_bulk SELECT seq, ${text} FROM seq_1_to_${rows}`)
}

/** Measures one proof, and the largest use of the disk. */
async function measure(world: ProofWorld): Promise<Measured> {
  const backup = await world.backUp()
  const free = async () => {
    const { stdout } = await world.host.exec(['df', '--output=avail', '--block-size=1', '/srv'])
    return Number(stdout.trim().split('\n').at(-1))
  }
  const before = await free()
  let least = before
  let ends = false
  const watching = (async () => {
    for (; !ends; await Bun.sleep(500)) least = Math.min(least, await free())
  })()
  const { proven, findings, bytes, seconds } = await world.prove(backup)
  ends = true
  await watching
  if (!proven) throw new Error(JSON.stringify(findings))
  return { bytes, seconds, disk: before - least }
}

/** Restores the same data with the same programs, compares nothing, and returns the seconds. */
async function plainly(world: ProofWorld): Promise<number> {
  const started = performance.now()
  await world.restic('restore', 'latest', '--tag', 'files', '--target', '/srv/plain')
  await world.host.must(['mariadb', '-e', 'CREATE DATABASE plain'])
  await world.restic(
    'dump',
    'latest',
    '--tag',
    'database',
    'database.sql',
    '--target',
    '/srv/d.sql',
  )
  await world.host.must(['bash', '-c', 'mariadb plain < /srv/d.sql'], { timeout_ms: 1_800_000 })
  return (performance.now() - started) / 1000
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { megabytes: { type: 'string', default: '1000' } } })
  const world = await ProofWorld.start('proofbench')
  try {
    const good = await bench(world, Number(values.megabytes))
    if (!good) throw new Error('the proofs take longer than promised')
  } finally {
    await lab.switchDown()
  }
}

await main().then(() => process.exit(0), fail)
