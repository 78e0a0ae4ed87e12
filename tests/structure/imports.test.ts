import { expect, test } from 'bun:test'
import { dirname } from 'node:path'
import { type Import, importsIn, readSources } from '#scripts/lib/sources.ts'

const imports = importsIn(await readSources('.'))

test('no folder imports one that imports it', () => {
  expect(folderCycles(imports)).toEqual([])
})

test('names the folders of a cycle, of types and through a third one too', () => {
  const files = [
    { path: 'agent/features/php/a.ts', text: "import type { B } from '#agent/features/tls/b.ts'" },
    { path: 'agent/features/tls/b.ts', text: "import { c } from '#agent/kernel/http/deep/c.ts'" },
    {
      path: 'agent/kernel/http/deep/c.ts',
      text: "const a = await import('../../../features/php/a.ts')",
    },
    { path: 'agent/app.ts', text: "import { c } from './kernel/http/deep/c.ts'" },
  ]

  expect(folderCycles(importsIn(files))).toEqual([
    'agent/features/php, agent/features/tls, agent/kernel/http import one another',
  ])
})

/** Folders whose files are programs or roots: each file stands for itself. */
const ROOTS = ['agent', 'agent/kernel', 'dashboard', 'scripts', 'shared', 'tests/support']
/** The number of path components of a folder; other folders have two. */
const DEPTHS: readonly [prefix: string, depth: number][] = [
  ['agent/features/', 3],
  ['agent/kernel/host/', 4],
  ['agent/kernel/', 3],
  ['agent/programs/', 3],
  ['dashboard/features/', 3],
  ['dashboard/kernel/', 3],
  ['dashboard/web/features/', 4],
  ['dashboard/web/pages/', 4],
  ['dashboard/web/', 3],
  ['scripts/bench/', 3],
  ['tests/support/', 3],
]

/** Returns the folder of a file in the architecture: subfolders belong to it. */
function folderOf(path: string): string {
  const folder = dirname(path)
  if (ROOTS.includes(folder)) return path
  const depth = DEPTHS.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 2
  return folder.split('/').slice(0, depth).join('/')
}

/** Returns a sentence for each group of folders that import one another, with those imports. */
function folderCycles(imports: readonly Import[]): string[] {
  const graph = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const [one, other] = [folderOf(from), folderOf(to)]
    if (one === other) continue
    graph.set(one, (graph.get(one) ?? new Set()).add(other))
  }
  const reached = new Map([...graph.keys()].map((folder) => [folder, reachedFrom(graph, folder)]))
  const inCycle = [...graph.keys()].filter((folder) => reached.get(folder)?.has(folder)).sort()
  const groups = Map.groupBy(inCycle, (folder) =>
    inCycle
      .filter((other) => reached.get(folder)?.has(other) && reached.get(other)?.has(folder))
      .join(' '),
  )
  return [...groups.values()].map((folders) => `${folders.join(', ')} import one another`)
}

function reachedFrom(graph: ReadonlyMap<string, ReadonlySet<string>>, start: string): Set<string> {
  const found = new Set<string>()
  const waiting = [...(graph.get(start) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue
    found.add(next)
    waiting.push(...(graph.get(next) ?? []))
  }
  return found
}

test('each room of the agent and of the dashboard imports only those before it', () => {
  expect(upwardImports(imports, ROOMS)).toEqual([])
})

test('names an import of a later room, of an unlisted one and of what puts rooms together', () => {
  const imports = [
    { from: 'agent/features/sites/a.ts', to: 'agent/kernel/host/ports.ts' },
    { from: 'agent/features/sites/a.ts', to: 'agent/features/sites/trash/b.ts' },
    { from: 'agent/features/sites/a.ts', to: 'shared/kernel/plan.ts' },
    { from: 'agent/kernel/host/ports.ts', to: 'agent/features/sites/a.ts' },
    { from: 'dashboard/features/new/a.ts', to: 'dashboard/kernel/db/client.ts' },
    { from: 'dashboard/features/sites/a.ts', to: 'dashboard/deps.ts' },
    { from: 'dashboard/app.ts', to: 'dashboard/features/sites/a.ts' },
  ]
  const rooms = { agent: ['kernel', 'sites'], dashboard: ['kernel', 'sites'] }

  expect(upwardImports(imports, rooms)).toEqual([
    'agent/kernel/host/ports.ts imports agent/features/sites/a.ts: sites is not before kernel',
    'dashboard/features/new/a.ts imports dashboard/kernel/db/client.ts: kernel is not before new',
    'dashboard/features/sites/a.ts imports dashboard/deps.ts, which puts the rooms together',
  ])
})

/**
 * The rooms of the agent and of the dashboard: `kernel`, `programs`, `web`, and each folder of
 * `features`. A room imports those before it; files beside the rooms put them together.
 */
const ROOMS = {
  agent: [
    'kernel',
    'mail',
    'object-cache',
    'php',
    'existing',
    'web',
    'wordpress',
    'logs',
    'jobs',
    'metrics',
    'updates',
    'access',
    'backups',
    'domains',
    'database',
    'servers',
    'sites',
    'copies',
    'health',
    'moves',
    'isolation',
    'programs',
  ],
  dashboard: [
    'kernel',
    'settings',
    'backups',
    'access',
    'domains',
    'health',
    'sites',
    'copies',
    'mail',
    'moves',
    'logs',
    'metrics',
    'recovery',
    'object-cache',
    'web',
    'database',
    'isolation',
    'updates',
    'jobs',
    'wordpress',
    'servers',
    'overview',
    'alerts',
    'reports',
    'clients',
    'openapi',
  ],
} as const

type Floor = keyof typeof ROOMS

const isFloor = (name: string | undefined): name is Floor =>
  name === 'agent' || name === 'dashboard'

/** Returns the room of a file; undefined for a file that puts rooms together. */
function roomOf(path: string): string | undefined {
  const [, folder, feature, file] = path.split('/')
  if (folder === 'features') return file === undefined ? undefined : feature
  return feature === undefined ? undefined : folder
}

/** Returns a sentence for each import of a room that is not before the importing one. */
function upwardImports(
  imports: readonly Import[],
  rooms: Readonly<Record<Floor, readonly string[]>>,
): string[] {
  return imports.flatMap(({ from, to }) => {
    const floor = from.split('/')[0]
    if (!isFloor(floor) || !to.startsWith(`${floor}/`)) return []
    const [own, other] = [roomOf(from), roomOf(to)]
    if (own === undefined || own === other || isAllowed(from, to)) return []
    if (other === undefined) return [`${from} imports ${to}, which puts the rooms together`]
    const before = rooms[floor].slice(0, Math.max(0, rooms[floor].indexOf(own)))
    return before.includes(other) ? [] : [`${from} imports ${to}: ${other} is not before ${own}`]
  })
}

/** The pages have rules of their own, and `hosting-agent uninstall` runs commands. */
const isAllowed = (from: string, to: string) =>
  from.startsWith('dashboard/web/') ||
  (from.startsWith('agent/programs/cli/') && to === 'agent/commands.ts')
