import { deepStrictEqual } from 'node:assert'
import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { scanning } from '#agent/host/real/scanning.ts'
import { answersOf, type Scanner } from '#agent/host/scanner-port.ts'
import { draftIn } from '#scripts/lib/draft.ts'
import { fail } from '#scripts/lib/fail.ts'
import { report } from './lib/figure.ts'
import { median, timed } from './lib/measure.ts'
import { wpCliInventory } from './wp-scan/answers.ts'
import { type BenchSite, makeSite } from './wp-scan/site.ts'

const PROMISED = 200
const RUNS = { native: 200, wp_cli: 3 }

/**
 * Scans one real WordPress with wp-cli and with the agent's scan process, in the same run. Exits
 * with status 1 if the answers differ or if the process is less than 200 times faster. Needs root,
 * PHP-CLI with mysqli, and MariaDB's programs. Not below /tmp, which the process cannot see.
 */
async function bench(site: BenchSite): Promise<void> {
  const init = existsSync('/run/systemd/system') ? 'systemd' : 'direct'
  const scanner = answersOf(scanning({ init, privileged: true, socket: site.socket }))
  const start = await timed(() => scan(scanner, site))
  console.log(`start    ${start.toFixed(0)} ms until the first answer`)
  deepStrictEqual(await scan(scanner, site), await wpCliInventory(site.wp))
  const wp_cli = await medianOf(RUNS.wp_cli, () => wpCliInventory(site.wp))
  const native = await medianOf(RUNS.native, () => scan(scanner, site))
  const { plugins, themes } = await scan(scanner, site)
  const ratio = wp_cli / native
  console.log(
    `site     ${plugins.length} plugins, ${themes.length} themes; the answers are the same`,
  )
  console.log(`wp-cli   ${wp_cli.toFixed(0)} ms for four commands (median of ${RUNS.wp_cli})`)
  console.log(`scan     ${native.toFixed(2)} ms (median of ${RUNS.native})`)
  console.log(`ratio    ${ratio.toFixed(0)} (promised: ${PROMISED})`)
  report({
    ...{ name: 'wp-cli takes', unit: 'ms', ours: native, against: wp_cli, ratio },
    at_least: PROMISED,
  })
  if (ratio < PROMISED) throw new Error(`the scan is less than ${PROMISED} times faster`)
}

/** Everything after the command knows the domain: the user, wp-config.php, files, one SELECT. */
async function scan(scanner: Scanner, { docroot }: BenchSite) {
  const scanned = await scanner.inventory({ docroot })
  if (!scanned) throw new Error(`${docroot} cannot be opened`)
  return scanned.inventory
}

async function medianOf(runs: number, work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < runs; run++) times.push(await timed(work))
  return median(times)
}

async function main(): Promise<void> {
  await using folder = await draftIn('/srv', 'wp-scan-')
  // MariaDB runs as its own user.
  await chmod(folder.path, 0o755)
  const site = await makeSite(folder.path)
  await bench(site).finally(site.stop)
}

await main().then(() => process.exit(0), fail)
