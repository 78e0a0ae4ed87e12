import * as lab from '#tests/support/lab/index.ts'
import { ProofWorld, PUBLIC, SITE } from '#tests/support/system/proof.ts'
import { benchmark, numberOption, report } from './lib/benchmark.ts'
import { timed } from './lib/measure.ts'

const SITES = 50
const SITE_BYTES = 2e9
const FILE_BYTES = 2e6
const ROW_BYTES = 960
/** The share of the database in the bytes of the site. */
const DATABASE = 0.3
const TIMEOUT_MS = 1_800_000

/**
 * Proves the backups of a small site and of a large one (`--megabytes 1000`, the default) in a folder
 * of the server, and calculates the time for 50 sites of 2 GB, one after the other, of which the usual
 * window from 01:00 to 05:00 has room. Compares a proof with restic and mariadb alone. Needs the lab
 * (root, systemd-nspawn).
 */
async function main(): Promise<void> {
  const world = await ProofWorld.start('proofbench')
  const small = await measure(world)
  await fill(world, numberOption('megabytes', 1000) * 1e6)
  const large = await measure(world)
  const plain = (await timed(() => restorePlainly(world))) / 1000
  const rate = (large.seconds - small.seconds) / (large.bytes - small.bytes)
  const each = small.seconds + rate * (SITE_BYTES - small.bytes)
  console.log(`${SITES} × ${each.toFixed(0)} s; bytes, seconds and disk:`, { small, large })
  report(`proofs of ${SITES} sites, calculated`, SITES * each, 's', { at_most: 4 * 3600 })
  report('proof', large.seconds, 's', { against: plain, at_most: 4 })
}

async function fill(world: ProofWorld, bytes: number): Promise<void> {
  const files = Math.ceil((bytes * (1 - DATABASE)) / FILE_BYTES)
  const script = `cd ${PUBLIC}/wp-content; mkdir -p uploads/bulk; cd uploads/bulk
    for n in $(seq ${files}); do head -c ${FILE_BYTES} /dev/urandom > $n.jpg; done
    chown -R ${SITE.user}: ..`
  await world.host.must(['bash', '-ec', script], { timeout_ms: TIMEOUT_MS })
  const text = `CONCAT(${Array.from({ length: ROW_BYTES / 32 }, () => 'MD5(RAND())').join()})`
  const rows = Math.ceil((bytes * DATABASE) / ROW_BYTES)
  await world.sql(`CREATE TABLE a_bulk (id INT PRIMARY KEY, t TEXT);
    INSERT INTO a_bulk SELECT seq, ${text} FROM seq_1_to_${rows}`)
}

/** Measures one proof, and the largest use of the disk. */
async function measure(world: ProofWorld): Promise<Record<'bytes' | 'seconds' | 'disk', number>> {
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

/** Restores the same data with the same programs, and compares nothing. */
async function restorePlainly(world: ProofWorld): Promise<void> {
  await world.restic('restore', 'latest', '--tag', 'files', '--target', '/srv/plain')
  await world.host.must(['mariadb', '-e', 'CREATE DATABASE plain'])
  const dump = '/srv/d.sql'
  await world.restic('dump', 'latest', '--tag', 'database', 'database.sql', '--target', dump)
  await world.host.must(['bash', '-c', `mariadb plain < ${dump}`], { timeout_ms: TIMEOUT_MS })
}

await benchmark(main, lab.switchDown)
