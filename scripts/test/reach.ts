import { must } from '../lib/run.ts'
import { type Import, importsIn, readSources } from '../lib/sources.ts'
import type { Recorded, TestFile } from './files.ts'

/** Reads a reason why a change can reach a test file, or undefined. */
export type Reach = (file: TestFile) => string | undefined

/** What a test on servers imports if it has a dashboard. */
const DASHBOARD = 'tests/support/system/dashboard.ts'
const EVERYTHING = 'unknown change'
/** What no test on a server or in a browser reads. */
const SILENT = /\.(md|svg|webp|png)$|^LICENSE$|^\.github\/|^scripts\/(bench|screenshots)/
const TYPES_ONLY = /^(?:import|export) type [^']*'[^'\n]*'/gm
const COMMAND = /^agent\/features\/(?:[a-z-]+\/)+([a-z]+\.[a-z-]+)\.ts$/
const ADDRESS = /['"`]\/(\w[\w-]*)?(?=[/?'"`$])/g

/**
 * The changed files since `base`, also those that are not committed. Undefined without a base: then
 * everything may have changed.
 */
export async function changedSince(root: string, base: string | undefined) {
  const commit = base ?? (await branchPoint(root))
  if (!commit) return undefined
  const lines = async (...argv: string[]) =>
    (await must(['git', ...argv], { cwd: root })).split('\n').filter(Boolean)
  const changed = await lines('diff', '--name-only', '--no-renames', commit)
  return [...changed, ...(await lines('ls-files', '--others', '--exclude-standard'))]
}

/** Returns where a branch left `origin/main`, if it did. */
async function branchPoint(root: string): Promise<string | undefined> {
  const git = (...argv: string[]) =>
    must(['git', ...argv], { cwd: root }).then((text) => text.trim())
  const [head, point] = await Promise.all([
    git('rev-parse', 'HEAD'),
    git('merge-base', 'HEAD', 'origin/main'),
  ]).catch(() => [])
  return point === head ? undefined : point
}

/**
 * Returns what changed files can reach: a test reaches what it imports, what the commands import
 * that it names or that its hosts ran in the last recorded run, and, in a browser, what the pages
 * import whose addresses it has. A change that this does not place reaches every test.
 */
export async function readReach(
  root: string,
  changed: readonly string[] | undefined,
  recorded: Recorded,
): Promise<Reach> {
  if (!changed) return () => EVERYTHING
  const sources = await readSources(root)
  const runtime = sources.map(({ path, text }) => ({ path, text: text.replace(TYPES_ONLY, '') }))
  return reachOf(
    changed,
    importsIn(runtime),
    new Map(runtime.map((one) => [one.path, one.text])),
    recorded,
  )
}

export function reachOf(
  changed: readonly string[],
  imports: readonly Import[],
  texts: ReadonlyMap<string, string>,
  recorded: Recorded,
): Reach {
  const closureOf = closures(imports)
  const paths = [...texts.keys()]
  const commands = paths.flatMap((path) => path.match(COMMAND)?.[1] ?? [])
  const reachOfCommand = (name: string) =>
    union(paths.filter((path) => path.endsWith(`/${name}.ts`)).map(closureOf))
  const reachOfPage = (segment: string) => {
    const folder = `dashboard/web/pages/${segment}/`
    return union(paths.filter((path) => path.startsWith(folder)).map(closureOf))
  }
  const ofCommands = union(commands.map(reachOfCommand))
  const ofPages = union(
    paths.filter((path) => path.startsWith('dashboard/web/pages/')).map(closureOf),
  )
  const loud = changed.filter((path) => !SILENT.test(path))

  /** Returns whether the file is a page that the test opens, or a part of all pages. */
  const isSeen = ({ part, text }: TestFile, path: string) => {
    if (part !== 'browser') return false
    const pages = [...text.matchAll(ADDRESS)].map(([, segment]) => segment ?? 'overview')
    return pages.length === 0 || !ofPages.has(path) || union(pages.map(reachOfPage)).has(path)
  }
  /** A part of the agent or of the dashboard that is none of its commands. */
  const isBelow = ({ path: test, part }: TestFile, path: string) => {
    if (part !== 'system') return !path.startsWith('agent/')
    if (recorded[test]?.commands && ofCommands.has(path)) return false
    return !path.startsWith('dashboard/') || closureOf(test).has(DASHBOARD)
  }

  return (file) => {
    const own = closureOf(file.path)
    const words = [...own]
      .filter((path) => path.startsWith('tests/'))
      .map((path) => texts.get(path))
    const named = commands.filter((name) => words.some((word) => word?.includes(`'${name}'`)))
    const run = recorded[file.path]?.commands ?? []
    const reached = union([own, ...[...named, ...run].map(reachOfCommand)])
    return loud.find((path) => {
      if (reached.has(path)) return true
      if (path.startsWith('tests/')) return false
      return path.startsWith('dashboard/web/') ? isSeen(file, path) : isBelow(file, path)
    })
  }
}

/** Returns what a file imports, and what that imports, with the file. */
export function closures(imports: readonly Import[]): (path: string) => ReadonlySet<string> {
  const direct = Map.groupBy(imports, ({ from }) => from)
  const known = new Map<string, ReadonlySet<string>>()
  return (path) => {
    const before = known.get(path)
    if (before) return before
    const found = new Set([path])
    for (const one of found) for (const { to } of direct.get(one) ?? []) found.add(to)
    known.set(path, found)
    return found
  }
}

const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(sets.flatMap((set) => [...set]))
