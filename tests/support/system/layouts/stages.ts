import type { Host } from '#tests/support/lab/index.ts'
import { bash, build, clear } from './build.ts'
import { differences, type Reported, reportedOf } from './compare.ts'
import { discovered } from './host.ts'
import type { LayoutOnDisk } from './layout.ts'
import { disproved } from './proof.ts'
import { visitAll } from './visit.ts'
import { askWpCli, wordpressDifferences } from './wordpress.ts'

/** By layout: its differences. */
export type Verdicts = Map<string, string[]>

const PROGRAMS: Record<LayoutOnDisk['stage'], string[][]> = {
  nginx: [['systemctl', 'start', 'nginx']],
  apache: [['systemctl', 'start', 'apache2']],
  caddy: [['systemctl', 'start', 'caddy']],
  openlitespeed: [],
  files: [],
}
const STOP = ['nginx', 'apache2', 'caddy', 'php8.2-fpm', 'other-web']

/** Sets up all layouts, several at once where possible, and checks each. */
export async function runStages(host: Host, layouts: readonly LayoutOnDisk[]) {
  const verdicts: Verdicts = new Map()
  const strangers: string[] = []
  for (const stage of stagesOf(layouts)) {
    const result = await runStage(host, stage)
    for (const [name, wrong] of result.verdicts) verdicts.set(name, wrong)
    strangers.push(...result.strangers)
  }
  return { verdicts, strangers }
}

function stagesOf(layouts: readonly LayoutOnDisk[]): LayoutOnDisk[][] {
  const together = new Map<string, LayoutOnDisk[]>()
  for (const layout of layouts) {
    const key = layout.alone ? layout.name : layout.stage
    together.set(key, [...(together.get(key) ?? []), layout])
  }
  return [...together.values()]
}

async function runStage(host: Host, layouts: readonly LayoutOnDisk[]) {
  await build(host, layouts)
  try {
    await start(host, layouts)
    const { sites, programs } = await settled(host, layouts)
    const seen = await visitAll(host, layouts)
    const answers = await askWpCli(host, layouts)
    const verdicts: Verdicts = new Map()
    for (const layout of layouts) {
      const misunderstood = programs.filter(({ understood }) => !understood)
      const names = misunderstood.map(({ program }) => program)
      verdicts.set(layout.name, [
        ...differences(layout, sites),
        ...disproved(layout, seen),
        ...wordpressDifferences(layout, reportedOf(layout, sites), answers),
        ...(names.join() === layout.programsNotUnderstood.join()
          ? []
          : [`not understood: ${names.join(', ') || 'nothing'}`]),
      ])
    }
    return { verdicts, strangers: strangersIn(layouts, sites) }
  } finally {
    await bash(host, [`systemctl stop ${STOP.join(' ')} || true`, 'pkill -x nginx || true'])
    await clear(host, layouts)
  }
}

/**
 * The result of a configuration that has to be run may come after the first answer, which waits at
 * most 1.5 seconds: it is requested again then.
 */
async function settled(host: Host, layouts: readonly LayoutOnDisk[]) {
  const whole = layouts.filter(({ broken }) => broken === undefined)
  let found = await discovered(host)
  const isOff = (layout: LayoutOnDisk) => differences(layout, found.sites).length > 0
  for (let tries = 0; tries < 60 && whole.some(isOff); tries += 1) {
    await Bun.sleep(2_000)
    found = await discovered(host)
  }
  return found
}

async function start(host: Host, layouts: readonly LayoutOnDisk[]): Promise<void> {
  // Stages follow each other faster than systemd's start limit allows.
  await host.must(['systemctl', 'reset-failed'])
  const pools = await host.exec(['bash', '-c', 'ls /etc/php/8.2/fpm/pool.d/*.conf'])
  if (pools.code === 0) await host.must(['systemctl', 'restart', 'php8.2-fpm'])
  for (const { stage, programs } of layouts.slice(0, 1)) {
    for (const argv of programs ?? PROGRAMS[stage]) {
      const { code, stderr } = await host.exec(argv)
      if (code === 0) continue
      const why = await host.exec(['bash', '-c', 'nginx -t; journalctl -n 30 --no-pager'])
      throw new Error(`${argv.join(' ')}: ${stderr}\n${why.stderr}${why.stdout}`)
    }
  }
}

function strangersIn(layouts: readonly LayoutOnDisk[], sites: readonly Reported[]): string[] {
  const known = new Set(layouts.flatMap((layout) => reportedOf(layout, sites)))
  return sites
    .filter((site) => !known.has(site))
    .map(({ domain, names, docroot }) => `${domain ?? names?.join(' ')} at ${docroot}`)
}
