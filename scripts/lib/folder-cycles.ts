import { dirname } from 'node:path'
import type { Import } from './imports.ts'

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
export function folderCycles(imports: readonly Import[]): string[] {
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
