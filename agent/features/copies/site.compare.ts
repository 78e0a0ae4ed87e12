import { compareTables } from '#agent/features/copies/staging/tables.ts'
import { findBaseline } from '#agent/kernel/baseline/baseline.ts'
import { type SameFiles, writtenSince } from '#agent/kernel/baseline/live-files.ts'
import { databaseDigests } from '#agent/kernel/database/digests.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { asSite, runAsSite } from '#agent/kernel/sandbox/run.ts'
import { NOT_PUSHED, UPLOADS_FOLDER } from '#agent/kernel/site/content-paths.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command } from '#agent/kernel/steps/command.ts'
import { type ComparedContent, MAX_PATHS, MAX_TABLES } from '#shared/copies/site.compare.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** Only reads, with the rights of each site. */
export const siteCompare = command('site.compare', {
  lock: () => undefined,
  check: ({ domain, from }, host) => getStagingPair(host, domain, from),
  steps: () => [],
  async *result({ params: { domain, from }, host, live, staging }) {
    yield 'Comparing the files'
    const baseline = await findBaseline(host, from, domain)
    // A comparison has no lock, and the lists of a site have one place.
    const files = await host.exclusive(`comparison of ${domain}`, () =>
      compareFiles(host, live, staging, baseline?.files),
    )
    yield `Comparing the tables of ${domain}`
    const own = await databaseDigests(host, live)
    yield `Comparing the tables of ${from}`
    const other = await databaseDigests(host, staging)
    const tables = compareTables({ live: own, staging: other, baseline })
    return { domain, from, files, tables: tables.slice(0, MAX_TABLES) }
  },
})

/** Throws conflict for a site that is not a staging site of the live one. */
export async function getStagingPair(
  host: Host,
  domain: string,
  from: string,
): Promise<{ live: Site; staging: Site }> {
  const [live, staging] = [await getSite(host, domain), await getSite(host, from)]
  if (staging.staging?.of === domain) return { live, staging }
  throw conflict(`${from} is not a staging site of ${domain}`)
}

const HOUR_MS = 60 * 60_000

/** Every file and link: path, kind, size, second of change, target; folders by path alone. */
const LISTED_FACTS = [
  '-type',
  'd',
  '-printf',
  '%P\\td\\0',
  '-o',
  '-printf',
  '%P\\t%y\\t%s\\t%Ts\\t%l\\0',
]

/**
 * Compares the names, sizes and times of files, without caches and wp-config.php: a copy keeps the
 * time of each file. Each site is listed with its own rights.
 */
async function compareFiles(
  host: Host,
  live: Site,
  staging: Site,
  since: SameFiles | undefined,
): Promise<ComparedContent['files']> {
  // Named after the site, so that the next comparison removes what an interrupted one left.
  const folder = `${host.settings.state_dir}/compare-${live.domain}`
  const [own, other] = [`${folder}/live`, `${folder}/staging`]
  await host.files.remove(folder)
  await host.files.mkdir(folder, { mode: 0o700 })
  try {
    await listInto(host, live, own)
    await listInto(host, staging, other)
    const written = await writtenSince(host, live, since)
    return differences(
      await linesOnlyIn(host, own, other),
      await linesOnlyIn(host, other, own),
      written,
    )
  } finally {
    await host.files.remove(folder)
  }
}

async function listInto(host: Host, { user }: Site, path: string): Promise<void> {
  const root = docrootOf(user)
  const pruned = NOT_PUSHED.flatMap((one) => ['-path', `${root}/${one}`, '-prune', '-o'])
  const list = ['find', root, '-mindepth', '1', ...pruned, ...LISTED_FACTS]
  const limits = { network: false, idle: true, timeout_ms: HOUR_MS }
  const input_from = { argv: list, options: asSite({ user }, limits) }
  const options = { ...limits, home: false, input_from, output_file: path }
  await runAsSite(host, { user }, ['sort', '--zero-terminated'], options)
}

/** Returns the lines that only the first file has. */
async function linesOnlyIn(host: Host, path: string, other: string): Promise<string[]> {
  const argv = ['comm', '--zero-terminated', '--nocheck-order', '-23', '--', path, other]
  const { stdout } = await host.shell.run(argv, { timeout_ms: HOUR_MS })
  const lines = stdout.split('\0')
  // What follows the last separator is empty, or was cut off.
  return lines.slice(0, -1)
}

const pathOf = (line: string) => line.slice(0, factsAt(line))

/** Finds the separator of the facts; a name may contain tabs, too. */
function factsAt(line: string): number {
  const found = /\t(?:d|[^\td]\t\d+\t\d+\t[^\t]*)$/.exec(line)
  return found?.index ?? line.length
}

/** Returns whether a push replaces the path: uploads are merged. */
const isReplaced = (line: string) => !line.endsWith('\td') && !line.startsWith(`${UPLOADS_FOLDER}/`)

/** Returns what only each of them has, and what changed on the live site since then. */
export function differences(
  live: readonly string[],
  staging: readonly string[],
  written?: ReadonlySet<string>,
): ComparedContent['files'] {
  const [lives, copies] = [new Set(live.map(pathOf)), new Set(staging.map(pathOf))]
  const isWritten = (path: string) => written?.has(path) ?? true
  const shown = (paths: Iterable<string>) => {
    const all = [...paths].sort()
    return { count: all.length, examples: all.slice(0, MAX_PATHS).map(readable) }
  }
  return {
    added: shown([...copies].filter((path) => !lives.has(path))),
    changed: shown([...copies].filter((path) => lives.has(path))),
    removed: shown([...lives].filter((path) => !copies.has(path))),
    live_changed: shown(live.filter(isReplaced).map(pathOf).filter(isWritten)),
    live_known: written !== undefined,
  }
}

const readable = (path: string) => path.replace(/[\p{Cc}\ufffd]/gu, '?').slice(0, 300)
