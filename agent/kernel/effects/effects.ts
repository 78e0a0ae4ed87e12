import type { Host } from '#agent/kernel/host/ports.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { readGenerated } from './generated.ts'

const effect =
  (action: Effect['action']) =>
  (kind: string, name: string): Effect => ({ action, kind, name })

export const create = effect('create')
export const change = effect('change')
export const remove = effect('remove')
export const run = effect('run')

/** Returns the effects of writing a text to a path: none if it is there already. */
export function writeOf(path: string, before: string | undefined, text: string): Effect[] {
  if (before === undefined) return [create('file', path)]
  return before === text ? [] : [change('file', path)]
}

/**
 * Returns the effects of generating files. Throws conflict, as writing does, for a file that
 * somebody else wrote.
 */
export async function writesOf(
  host: Host,
  files: readonly { path: string; text: string }[],
): Promise<Effect[]> {
  const effects: Effect[] = []
  for (const { path, text } of files) {
    effects.push(...writeOf(path, await readGenerated(host, path), text))
  }
  return effects
}

const affected =
  (action: 'create' | 'remove', exists: boolean) =>
  async ({ files }: Host, kind: string, ...paths: string[]): Promise<Effect[]> => {
    const found = await Promise.all(paths.map((path) => files.stat(path)))
    const names = paths.filter((_, at) => (found[at] !== undefined) === exists)
    return names.map((name) => ({ action, kind, name }))
  }

/** Returns the effects of creating the missing ones of some objects. */
export const creationsOf = affected('create', false)
/** Returns the effects of removing the existing ones of some objects. */
export const removalsOf = affected('remove', true)

/** Returns the effect of writing a text that always differs, or of replacing a whole folder. */
export async function replacementOf({ files }: Host, path: string, kind = 'file'): Promise<Effect> {
  return (await files.stat(path)) ? change(kind, path) : create(kind, path)
}
