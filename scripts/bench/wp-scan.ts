import { deepStrictEqual } from 'node:assert'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#agent/config.ts'
import type { Host } from '#agent/host/ports.ts'
import { openDatabase } from '#agent/host/real/database.ts'
import { realHost } from '#agent/host/real.ts'
import { openSite, readWpConfig } from '#agent/os/site-root.ts'
import { scanWordpress } from '#agent/os/wp-scan.ts'
import { fail } from '../lib/fail.ts'
import { wpCliInventory } from './wp-scan/answers.ts'
import { type BenchSite, makeSite } from './wp-scan/site.ts'

const PROMISED = 300
const RUNS = { native: 200, wp_cli: 3 }

/**
 * Scans one real WordPress with wp-cli and natively, in the same run. Ends with status 1 when the
 * answers differ or when the native scan is less than 300 times faster. Needs root, PHP-CLI with
 * mysqli, and MariaDB's programs.
 */
async function bench(site: BenchSite): Promise<boolean> {
  const host = { ...realHost(readConfig({}).settings), database: openDatabase(site.socket) }
  deepStrictEqual(await scan(host, site), await wpCliInventory(site.wp))
  const wp_cli = median(await timed(RUNS.wp_cli, () => wpCliInventory(site.wp)))
  const native = median(await timed(RUNS.native, () => scan(host, site)))
  const { plugins, themes } = await scan(host, site)
  const ratio = wp_cli / native
  console.log(
    `site     ${plugins.length} plugins, ${themes.length} themes; the answers are the same`,
  )
  console.log(`wp-cli   ${wp_cli.toFixed(0)} ms for four commands (median of ${RUNS.wp_cli})`)
  console.log(`native   ${native.toFixed(2)} ms (median of ${RUNS.native})`)
  console.log(`ratio    ${ratio.toFixed(0)} (promised: ${PROMISED})`)
  return ratio >= PROMISED
}

/** All that the command does after the domain is known: docroot, wp-config.php, files, one SELECT. */
async function scan(host: Host, { docroot }: BenchSite) {
  const root = openSite(host, docroot)
  if (!root) throw new Error(`${docroot} cannot be opened`)
  return scanWordpress(host, root, readWpConfig(root))
}

async function timed(runs: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) {
    const start = performance.now()
    await work()
    times.push(performance.now() - start)
  }
  return times
}

function median(times: number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'wp-scan-'))
  try {
    // MariaDB runs as its own user.
    await chmod(folder, 0o755)
    const site = await makeSite(folder)
    const fast = await bench(site).finally(site.stop)
    if (!fast) throw new Error(`the native scan is less than ${PROMISED} times faster`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

await main().then(() => process.exit(0), fail)
