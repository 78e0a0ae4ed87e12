// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Host } from '#tests/support/lab/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { bash, build, clear } from '#tests/support/system/layouts/build.ts'
import { differences, type Reported, reportedOf } from '#tests/support/system/layouts/compare.ts'
import { discovered, startLayoutHost } from '#tests/support/system/layouts/host.ts'
import {
  type Expected,
  type LayoutOnDisk,
  readLayouts,
} from '#tests/support/system/layouts/layout.ts'
import { type Seen, visitAll } from '#tests/support/system/layouts/visit.ts'

type Unproven = LayoutOnDisk['unproven']

/** Expectations that the web server disproves. */
function disproved(
  { sites, unproven }: LayoutOnDisk,
  seen: ReadonlyMap<Expected, readonly Seen[]>,
): string[] {
  return sites.flatMap((site) =>
    (seen.get(site) ?? []).flatMap((visit) =>
      problemsOf(unproven, site, visit).map(
        (problem) => `${site.domain || site.names.join(' ')} (${visit.name}): ${problem}`,
      ),
    ),
  )
}

function problemsOf(unproven: Unproven, site: Expected, seen: Seen): string[] {
  if (site.closed) return seen.folder === '' ? [] : [`is closed, but answers from ${seen.folder}`]
  return [...folderProblems(unproven, site, seen), ...scriptProblems(unproven, site, seen)]
}

function folderProblems(unproven: Unproven, { docroot }: Expected, seen: Seen): string[] {
  if (!docroot || unproven.includes('folder') || seen.folder === docroot) return []
  return [`no visitor sees ${docroot}, but ${seen.folder || seen.status}`]
}

function scriptProblems(unproven: Unproven, site: Expected, { script, status }: Seen): string[] {
  if (unproven.includes('php')) return []
  if (!site.php) {
    return script && !site.unknown?.php ? [`runs PHP ${script.php} as ${script.user}`] : []
  }
  if (!script) return [`does not run PHP: ${status}`]
  const user = unproven.includes('user') ? site.user : script.user
  return [
    ...(script.php === site.php ? [] : [`PHP is ${script.php}, not ${site.php}`]),
    ...(user === site.user ? [] : [`scripts run as ${user}, not ${site.user}`]),
  ]
}

/** By path and question. */
type Answers = ReadonlyMap<string, string>

const VERSION = 'core version'
const DATABASE = 'config get DB_NAME'

/** Two at a time, each as the owner of its WordPress; without plugins, themes and database. */
const ASK = `
ask() {
  out=$(runuser -u "$1" -- php /srv/mirror/wp-cli.phar --skip-plugins --skip-themes --path="$2" $3 2>&1 | tail -n 1)
  printf '%s\\t%s\\t%s\\n' "$2" "$3" "$out"
}
export -f ask
xargs -r -d '\\n' -n 3 -P 2 bash -c 'ask "$@"' ask
`

/** wp-cli's output for each WordPress of a stage. */
async function askWpCli(host: Host, layouts: readonly LayoutOnDisk[]): Promise<Answers> {
  // All share the files of one WordPress: its version is read once.
  const input = layouts
    .flatMap(wordpressesOf)
    .flatMap(([path, { owner, database }], index) => [
      ...(index === 0 || database === null ? [owner, path, VERSION] : []),
      ...(database === null ? [] : [owner, path, DATABASE]),
    ])
  const options = { input: input.map((word) => `${word}\n`).join(''), timeout_ms: 180_000 }
  const lines = (await host.must(['bash', '-c', ASK], options)).split('\n')
  return new Map(
    lines.map((line) => {
      const [path, question, answer = ''] = line.split('\t')
      return [`${path} ${question}`, answer]
    }),
  )
}

const wordpressesOf = ({ contents, unproven }: LayoutOnDisk) =>
  Object.entries(contents).filter(
    ([, { is }]) => is === 'wordpress' && !unproven.includes('wordpress'),
  )

/** Where wp-cli, run as the owner of each WordPress, disagrees with the agent. */
function wordpressDifferences(
  layout: LayoutOnDisk,
  reported: readonly Reported[],
  answers: Answers,
): string[] {
  return wordpressesOf(layout).flatMap(([path, { database }]) => {
    const site = reported.find(
      ({ docroot }) => docroot !== '' && `${path}/`.startsWith(`${docroot}/`),
    )
    if (!site) return []
    const asked: [string, string][] = [[VERSION, site.wp_version]]
    if (database !== null) asked.push([DATABASE, site.db_name])
    return asked
      .map(([question, found]) => [question, found, answers.get(`${path} ${question}`)])
      .filter(([, found, answer]) => answer !== undefined && found !== answer)
      .map(([question, found, answer]) => `${path}: ${question}: ${answer}, found ${found}`)
  })
}

/** By layout: its differences. */
type Verdicts = Map<string, string[]>

const PROGRAMS: Record<LayoutOnDisk['stage'], string[][]> = {
  nginx: [['systemctl', 'start', 'nginx']],
  apache: [['systemctl', 'start', 'apache2']],
  caddy: [['systemctl', 'start', 'caddy']],
  openlitespeed: [],
  files: [],
}
const STOP = ['nginx', 'apache2', 'caddy', 'php8.2-fpm', 'other-web']

/** Sets up all layouts, several at once where possible, and checks each. */
async function runStages(host: Host, layouts: readonly LayoutOnDisk[]) {
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
        ...(names.join() === layout.not_understood.join()
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
 * most 1.5 seconds: it is requested again then. On a busy machine the run may not end in its time,
 * and it is repeated only when that result is five minutes old.
 */
async function settled(host: Host, layouts: readonly LayoutOnDisk[]) {
  const whole = layouts.filter(({ broken }) => broken === undefined)
  let found = await discovered(host)
  const isOff = (layout: LayoutOnDisk) => differences(layout, found.sites).length > 0
  for (let tries = 0; tries < 200 && whole.some(isOff); tries += 1) {
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

const MINUTES = 60_000

/**
 * Servers as people set them up, one folder each: what the agent finds there, what the web server
 * itself says of it, and what wp-cli says of each WordPress, are the same.
 */
unless(lab.available()).describe('servers that somebody else has set up', () => {
  const layouts = readLayouts()
  let verdicts: Verdicts = new Map()
  let strangers: string[] = []

  beforeAll(async () => {
    const host = await startLayoutHost()
    const result = await runStages(host, layouts)
    verdicts = result.verdicts
    strangers = result.strangers
  }, 12 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test.each(layouts.filter(({ broken }) => broken === undefined).map(({ name }) => name))(
    '%s',
    (name) => {
      expect(verdicts.get(name)).toEqual([])
    },
  )

  test.each(layouts.filter(({ broken }) => broken !== undefined).map(({ name }) => name))(
    'detects the wrong expectation %s',
    (name) => {
      const broken = layouts.find((layout) => layout.name === name)?.broken ?? ''
      expect(verdicts.get(name)).toContainEqual(expect.stringContaining(broken))
    },
  )

  test('finds no site that no layout has', () => {
    expect(strangers).toEqual([])
  })
})
